import type { AssetFile } from '@tidegate/client'
import { versionPlan } from '@tidegate/protocol/version-plan'
import { shown } from '../output/text.js'
import type { Edit } from './file-edits.js'
import { type Source, sourceText } from './sources.js'

/** Names of present files that are printed at most. */
const NAMED = 20

/** Describes the new files, and what becomes of the present ones. Returns no lines if nothing does. */
export function versionLines(
  sources: readonly Source[],
  present: readonly AssetFile[],
  { keepOld = false, edits }: { keepOld: boolean | undefined; edits: ReadonlyMap<number, Edit> },
): string[] {
  if (sources.length === 0 && edits.size === 0) return []
  const lines = sources.map((source, at) => `  ${`file ${at}`.padEnd(12)} ${sourceText(source)}`)
  const names = present.map(({ index, name }) => name ?? `file ${index}`)
  for (const [at, { file }] of edits) if (file) lines.push(`  ${shown(names[at] ?? '')} becomes ${sourceText(file)}`)
  const next = sources.flatMap((source) => String(('object' in source ? source.object.name : source.name) ?? '') || [])
  const { added, replaced, renamed, moved, removed, kept } = versionPlan(names, next, keepOld, edits)
  if (sources.length > 0)
    lines.push(keepOld ? '  The present files stay, after these.' : '  They replace all present files.')
  for (const [part, of] of Object.entries({ added, replaced, renamed, 'moved to old': moved, removed, kept }))
    if (of.length > 0) lines.push(`  ${part.padEnd(12)} ${of.length}: ${listed(of)}`)
  return lines
}

function listed(names: readonly string[]): string {
  const some = names
    .slice(0, NAMED)
    .map((name) => shown(name))
    .join(', ')
  return names.length > NAMED ? `${some} and ${names.length - NAMED} more` : some
}
