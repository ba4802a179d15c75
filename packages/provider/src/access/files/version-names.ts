import { foldedName, publicNameProblem } from '@tidegate/protocol/public-name'

/** Longest folder that keeps files apart: no service has more files than it counts. */
const LONGEST = 'old 99999'

/** Names of the files of a new version, of which none is another's on any file system. */
export class VersionNames {
  private readonly taken: Set<string>
  /** Number of the next folder for a name, so that many equal names cost one look-up each. */
  private readonly next = new Map<string, number>()

  constructor(names: readonly (string | undefined)[]) {
    this.taken = new Set(names.flatMap((name) => (name === undefined ? [] : [foldedName(name)])))
  }

  /** Takes a name, or the same name in the first free folder: `old`, `old 2`, …. Returns it. */
  free(name: string): string {
    return this.take(name) ? name : this.inFolder(moved(name))
  }

  private inFolder(name: string): string {
    const key = foldedName(name)
    let n = this.next.get(key) ?? 1
    const path = () => `${n === 1 ? 'old' : `old ${n}`}/${name}`
    while (!this.take(path())) n += 1
    this.next.set(key, n + 1)
    return path()
  }

  private take(name: string): boolean {
    const folded = foldedName(name)
    if (this.taken.has(folded)) return false
    this.taken.add(folded)
    return true
  }
}

/** Returns the part of a name that moves into another folder: all of it, or its last part if the path would be too long. */
function moved(name: string): string {
  const base = name.replace(/^old(?: \d+)?\//, '')
  return publicNameProblem(`${LONGEST}/${base}`) === undefined ? base : base.slice(base.lastIndexOf('/') + 1)
}
