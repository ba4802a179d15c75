import { CommandError } from '@tidegate/provider/commands/failures'
import { shown } from '../output/text.js'
import type { FolderPlan } from './folder-plan.js'

/**
 * Throws CommandError if the download would mix versions, or replace what is not of a download: before anything is paid. `sync`: the folder
 * is made equal.
 */
export function assertUnmixed(
  { changed, gone, own, missing }: FolderPlan,
  folder: string,
  { sync, force }: { sync: boolean; force: boolean },
): void {
  if (own.length > 0 && !force)
    throw new CommandError(
      'FILE_EXISTS',
      `${shown(folder)} has ${some(own, 'that this command did not write, or that changed since')}. --force replaces ${own.length === 1 ? 'it' : 'them'}. Nothing was downloaded.`,
    )
  if (sync || (gone.length === 0 && (force || changed.length === 0))) return
  const added = missing.filter(({ replaces }) => !replaces).length
  const removed = gone.map(({ path }) => path)
  const parts = [
    ...(added > 0 ? [`${files(added)} new`] : []),
    ...(changed.length > 0 ? [some(changed, 'changed')] : []),
    ...(removed.length > 0 ? [some(removed, 'gone')] : []),
  ]
  throw new CommandError(
    'FOLDER_DIFFERS',
    `the asset has a new version since ${shown(folder)} was filled: ${parts.join(', ')}. Nothing was downloaded. --sync makes the folder equal: it replaces what changed and removes what is gone. Another folder keeps both versions.`,
  )
}

const files = (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`

/** Names some of a list of paths. */
function some(paths: string[], what: string): string {
  const named = paths.slice(0, 3).map((path) => shown(path, 80))
  const more = paths.length > named.length ? ` and ${paths.length - named.length} more` : ''
  return `${files(paths.length)} ${what} (${named.join(', ')}${more})`
}
