import { releaseFacts } from '@tidegate/protocol/asset'
import { countIn, defined, type Json } from '@tidegate/protocol/values'
import type { AssetFile } from '../types.js'

/** What a publisher changes of a release. */
interface ReleaseChange {
  notes: string | undefined
  /** All files of the new version, none if they are not described; undefined if the files stay. */
  files: readonly AssetFile[] | undefined
  /** Time of the change. */
  date: string
}

/** Returns the release after a change, as a document holds it: new files get the next number, notes alone replace its notes. */
export function nextRelease(before: Json | undefined, { notes, files, date }: ReleaseChange): Json {
  const number = countIn(before?.number)
  const told = notes?.trim() || undefined
  if (!files) return defined({ ...before, number: number || 1, notes: told })
  // files without a release were a version as well
  return defined({ number: before ? (number || 1) + 1 : 1, notes: told, date, ...releaseFacts(files) })
}
