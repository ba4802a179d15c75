import { foldedName, foldersOf, publicNameProblem } from './public-name.js'

/** What a new version of a list of files means for buyers, by names. */
export interface VersionPlan {
  /** New files under new names. */
  added: string[]
  /** Files whose place a new one takes, under the same name. */
  replaced: string[]
  /** Present files that get another name, as `old name → new name`. */
  renamed: string[]
  /** Present files that stay under their names. */
  kept: string[]
  /** Present files that stay in a folder `old`, since a new one takes their name. */
  moved: string[]
  /** Present files that go. */
  removed: string[]
}

/** What becomes of one present file: it is removed, or gets another name, another file, or both. */
export interface PresentEdit {
  remove?: true
  name?: string
  file?: object
}

/** Changes of present files by their place in the list. */
export type PresentEdits = ReadonlyMap<number, PresentEdit>

/**
 * Plans a version. `present`, `next`: names of files; `keepOld`: whether the present ones stay, after the new ones, apart
 * from `edits`.
 */
export function versionPlan(
  present: readonly string[],
  next: readonly string[],
  keepOld: boolean,
  edits: PresentEdits = new Map(),
): VersionPlan {
  const plan: VersionPlan = { added: [], replaced: [], renamed: [], kept: [], moved: [], removed: [] }
  const before = new Set(present.map(foldedName))
  for (const name of next) plan[keepOld || !before.has(foldedName(name)) ? 'added' : 'replaced'].push(name)
  const renames = keepOld ? [...edits.values()].flatMap(({ name = [] }) => name) : []
  const taken = new Set([...next, ...renames].map(foldedName))
  for (const [at, name] of present.entries()) {
    const { remove, name: other, file } = (keepOld && edits.get(at)) || {}
    if (file !== undefined) plan.replaced.push(name)
    if (other !== undefined) plan.renamed.push(`${name} → ${other}`)
    if (remove) plan.removed.push(name)
    else if (other !== undefined || file !== undefined) continue
    else if (keepOld) plan[taken.has(foldedName(name)) ? 'moved' : 'kept'].push(name)
    else if (!taken.has(foldedName(name))) plan.removed.push(name)
  }
  return plan
}

/**
 * Returns why a present file cannot get the name of its edit; undefined if all can. A problem continues a sentence that begins
 * with the name. `present`: names of the present files; `next`: those of new ones.
 */
export function renameProblem(
  present: readonly (string | undefined)[],
  next: readonly (string | undefined)[],
  edits: PresentEdits,
): { at: number; problem: string } | undefined {
  const stays = present.filter((_, at) => !edits.get(at)?.remove && edits.get(at)?.name === undefined)
  const taken = new Map([
    ...named(next, 'is the name of a new file'),
    ...named(stays, 'is the name of a file that stays'),
  ])
  const folders = new Set([...taken.keys()].flatMap(foldersOf))
  for (const [at, { name }] of edits) {
    if (name === undefined) continue
    const folded = foldedName(name)
    const above = foldersOf(folded)
    const problem =
      publicNameProblem(name) ??
      (name === present[at] ? 'is its name already' : undefined) ??
      taken.get(folded) ??
      (folders.has(folded) ? 'is the name of a folder' : undefined) ??
      (above.some((folder) => taken.has(folder)) ? 'is below a file, not a folder' : undefined)
    if (problem !== undefined) return { at, problem }
    taken.set(folded, 'is the new name of two files')
    for (const folder of above) folders.add(folder)
  }
  return undefined
}

function named(names: readonly (string | undefined)[], problem: string): [string, string][] {
  return names.flatMap((name) => (name === undefined ? [] : [[foldedName(name), problem]]))
}

/**
 * Returns edits by the index of their file, as the provider reads them. `objects`: the storage objects of the new files in the
 * order of the edits. Each has the name of the file that it replaces.
 */
export function requestedEdits<T extends object>(
  edits: PresentEdits,
  present: readonly { index: number; name?: string }[],
  objects: readonly T[],
): { index: number; remove?: true; name?: string; file?: T }[] {
  const left = [...objects]
  return [...edits].map(([at, { remove, name, file }]) => {
    const { index, name: own } = present[at] as { index: number; name?: string }
    if (remove) return { index, remove }
    // a name from a storage may be no public name
    const object = file && { ...(left.shift() as T), name: publicNameProblem(own) === undefined ? own : undefined }
    return { index, ...(name === undefined ? {} : { name }), ...(object ? { file: object } : {}) }
  })
}
