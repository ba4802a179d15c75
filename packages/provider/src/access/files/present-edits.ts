import { ValidationError } from '@tidegate/protocol'
import { foldedName, publicNameProblem } from '@tidegate/protocol/public-name'

/** A change of one present file: it is removed, gets another name, or another storage object in its place. */
export interface PresentEdit {
  remove: boolean
  name: string | undefined
  file: object | undefined
}

const FIELDS = new Set(['index', 'remove', 'name', 'file'])

/**
 * Reads the `present` field of a new version: changes by the index of the file. `count`: number of the present files.
 * Throws ValidationError.
 */
export function presentEdits(sent: unknown, count: number): Map<number, PresentEdit> {
  if (!Array.isArray(sent)) throw ValidationError.of('present', 'The present field must be a list.')
  const edits = new Map<number, PresentEdit>()
  const names = new Set<string>()
  for (const [at, entry] of sent.entries()) {
    const refused = (field: string, problem: string) =>
      ValidationError.of(`present[${at}]${field}`, `The present[${at}]${field} field ${problem}.`)
    if (!isObject(entry)) throw refused('', 'must be an object')
    const { index, remove = false, name, file } = entry as Record<string, unknown>
    if (!Number.isSafeInteger(index) || (index as number) < 0 || (index as number) >= count)
      throw refused('.index', 'must be the index of a present file')
    if (edits.has(index as number)) throw refused('.index', 'must name a file that no other entry names')
    const other = Object.keys(entry).find((field) => !FIELDS.has(field))
    if (other !== undefined) throw refused('', 'must have no other fields than index, remove, name and file')
    if (typeof remove !== 'boolean') throw refused('.remove', 'must be true or false')
    if (remove === (name !== undefined || file !== undefined))
      throw refused('', 'must have either remove, or name, file or both')
    if (file !== undefined && !isObject(file)) throw refused('.file', 'must be a storage object')
    const problem = name === undefined ? undefined : publicNameProblem(name)
    if (problem !== undefined) throw refused('.name', problem)
    if (name !== undefined) {
      const folded = foldedName(name as string)
      if (names.has(folded)) throw refused('.name', 'must be a name that no other entry has')
      names.add(folded)
    }
    edits.set(index as number, { remove, name: name as string | undefined, file: file as object | undefined })
  }
  return edits
}

/** Whether a value can be a storage object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
