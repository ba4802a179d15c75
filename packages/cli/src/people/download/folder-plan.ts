import { createHash } from 'node:crypto'
import { createReadStream, lstatSync } from 'node:fs'
import type { AssetFile } from '@tidegate/client'
import { placeBelow, safePath } from '@tidegate/client/node'
import { DistinctPaths } from '@tidegate/protocol/distinct-paths'
import { foldersOf } from '@tidegate/protocol/public-name'
import type { Manifest, Written } from './manifest.js'

export type ListedFile = Pick<AssetFile, 'index' | 'id' | 'name' | 'size'>

/** The files of a service. */
export interface Listed {
  did: string
  service: string
  files: readonly ListedFile[]
  /** Whether files that are there are missing as well. */
  again: boolean
}

/** A file of the asset that is to be downloaded. */
export interface Missing extends ListedFile {
  /** Its path below the folder; undefined if the provider tells its name with the download alone. */
  path: string | undefined
  /** Whether it replaces a file. */
  replaces: boolean
}

/** What makes a folder equal to the files of a service. Paths are below the folder. */
export interface FolderPlan {
  missing: Missing[]
  /** Number of files that are there already. */
  present: number
  /** Paths of files that the publisher has replaced since they were written. */
  changed: string[]
  /** Files that the asset has at this path no more. */
  gone: Written[]
  /** Paths of files that were changed here, or that `get --all` did not write, where the asset has a file. */
  own: string[]
  /** Paths of files that were changed here, and that the asset has no more. They stay. */
  kept: string[]
  /** Gives further names, where the provider tells them with the download. */
  paths: DistinctPaths
}

/**
 * Compares a folder with the files of a service. Without `id` and size a file counts as the one of its path. Throws TidegateError if a
 * folder or a link is in the way of a file.
 */
export async function planFolder(manifest: Manifest, { did, service, files, again }: Listed): Promise<FolderPlan> {
  const written = manifest.of(did, service)
  const plan: FolderPlan = {
    ...{ missing: [], present: 0, changed: [], gone: [], own: [], kept: [] },
    paths: new DistinctPaths(),
  }
  const named = namedFiles(files, plan.paths, written)
  const paths = new Set(named.map(({ path }) => path))
  for (const entry of written.values()) {
    if (paths.has(entry.path)) continue
    const state = await stateOf(manifest.folder, entry.path, entry)
    if (state === 'written') plan.gone.push(entry)
    else if (state === 'own') plan.kept.push(entry.path)
  }
  const isInTheWay = inTheWay(plan.gone)
  for (const file of named) {
    const entry = written.get(file.path ?? '')
    if (file.path !== undefined && isInTheWay(file.path)) plan.missing.push({ ...file, replaces: false })
    else await compare(plan, manifest.folder, file, { entry, again })
  }
  return plan
}

/** Returns the files with their paths. The path of a file without a public name is known from the download before. */
function namedFiles(files: readonly ListedFile[], paths: DistinctPaths, written: Map<string, Written>) {
  const byId = new Map([...written.values()].map(({ id, path }) => [id, path]))
  return files.map((file): Omit<Missing, 'replaces'> => {
    const name = safePath(file.name ?? '')
    if (name !== '') return { ...file, path: paths.pathOf(file.index, name) }
    const before = file.id === undefined ? undefined : byId.get(file.id)
    byId.delete(file.id)
    return { ...file, path: before }
  })
}

/** Returns whether a path needs a gone file as a folder, or the folder of one as a file. */
export function inTheWay(gone: readonly Written[]): (path: string) => boolean {
  const files = new Set(gone.map(({ path }) => path))
  const folders = new Set(gone.flatMap(({ path }) => foldersOf(path)))
  return (path) => folders.has(path) || foldersOf(path).some((folder) => files.has(folder))
}

async function compare(
  plan: FolderPlan,
  folder: string,
  file: Omit<Missing, 'replaces'>,
  { entry, again }: { entry: Written | undefined; again: boolean },
): Promise<void> {
  const { path } = file
  const state = path === undefined ? 'missing' : await stateOf(folder, path, entry)
  const same = state === 'written' && isSame(file, entry as Written)
  if (same && !again) {
    plan.present += 1
    return
  }
  if (state === 'written' && !same) plan.changed.push(path as string)
  if (state === 'own') plan.own.push(path as string)
  plan.missing.push({ ...file, replaces: state !== 'missing' })
}

const isSame = ({ id, size }: ListedFile, entry: Written) =>
  (id === undefined || entry.id === undefined || id === entry.id) && (size === undefined || size === entry.bytes)

/** Whether a file is missing, is the one that was written, or somebody's own. */
async function stateOf(
  folder: string,
  path: string,
  entry: Written | undefined,
): Promise<'missing' | 'written' | 'own'> {
  const place = placeBelow(folder, path, false)
  const stats = lstatSync(place, { throwIfNoEntry: false })
  if (!stats) return 'missing'
  if (!entry || !stats.isFile() || stats.size !== entry.bytes) return 'own'
  if (stats.mtimeMs === entry.modified) return 'written'
  // a copy of the folder has other times
  const hash = createHash('sha256')
  for await (const piece of createReadStream(place)) hash.update(piece)
  return hash.digest('hex') === entry.sha256 ? 'written' : 'own'
}
