import { foldedName } from './public-name.js'

/** What a new version of a list of files means for buyers, by names. */
export interface VersionPlan {
  /** New files under new names. */
  added: string[]
  /** New files that take the place of a present one with the name. */
  replaced: string[]
  /** Present files that stay under their names. */
  kept: string[]
  /** Present files that stay in a folder `old`, since a new one takes their name. */
  moved: string[]
  /** Present files that go. */
  removed: string[]
}

/** Plans a version. `present`, `next`: names of files; `keepOld`: whether the present ones stay, after the new ones. */
export function versionPlan(present: readonly string[], next: readonly string[], keepOld: boolean): VersionPlan {
  const [before, after] = [new Set(present.map(foldedName)), new Set(next.map(foldedName))]
  const isTaken = (name: string) => after.has(foldedName(name))
  const isPresent = (name: string) => before.has(foldedName(name))
  const others = present.filter((name) => !isTaken(name))
  return {
    added: keepOld ? [...next] : next.filter((name) => !isPresent(name)),
    replaced: keepOld ? [] : next.filter(isPresent),
    kept: keepOld ? others : [],
    moved: keepOld ? present.filter(isTaken) : [],
    removed: keepOld ? [] : others,
  }
}
