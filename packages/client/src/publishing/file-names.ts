import { bytesOf, foldedName, publicNameProblem } from '@tidegate/protocol/public-name'
import { printable } from '@tidegate/protocol/values'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'

/**
 * Checks the public names of files that are published together, before anything is sent. Throws TidegateError
 * `TOO_MANY_FILES`; `BAD_NAME` with the name if one breaks the rules, or if a system could not keep two of them apart.
 */
export function assertFileNames(names: readonly unknown[]): void {
  // before they are uploaded: a document holds so much of storage objects
  const size = names.reduce<number>((sum, name) => sum + LIMITS.objectSize + bytesOf(String(name ?? '')), 0)
  if (size > LIMITS.objectsSize)
    throw new TidegateError(
      'TOO_MANY_FILES',
      `${names.length.toLocaleString('en')} files with their names are too much for one document. Publish fewer, or one archive of them.`,
    )
  const files = new Map<string, string>()
  const given = names.filter((name) => name !== undefined)
  for (const name of given) {
    const path = assertFileName(name)
    const folded = foldedName(path)
    const other = files.get(folded)
    if (other !== undefined) throw clash(other, path)
    files.set(folded, path)
  }
  for (const [folded, path] of files)
    for (let at = folded.indexOf('/'); at !== -1; at = folded.indexOf('/', at + 1)) {
      const file = files.get(folded.slice(0, at))
      if (file !== undefined) throw clash(file, path)
    }
}

/** Returns a valid public name. Throws TidegateError `BAD_NAME`. */
export function assertFileName(name: unknown): string {
  const problem = publicNameProblem(name)
  if (problem === undefined) return name as string
  throw new TidegateError('BAD_NAME', `${printable(String(name), SHOWN)}: the name of a file ${problem}.`)
}

/** Most characters of a name in a message. */
const SHOWN = 200

function clash(one: string, other: string): TidegateError {
  const both = one === other ? '' : ` and ${printable(other, SHOWN)}`
  return new TidegateError(
    'BAD_NAME',
    `${printable(one, SHOWN)}${both}: two files would have the same name on some systems. Rename one.`,
  )
}
