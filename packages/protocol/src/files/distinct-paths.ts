import { foldedName, foldersOf } from './public-name.js'

/**
 * Paths of the files of one order. None replaces another or needs its place as a folder, also if a file system does not
 * distinguish names by case or Unicode normal form: a file whose path is taken gets its number in front.
 */
export class DistinctPaths {
  private readonly files = new Set<string>()
  private readonly folders = new Set<string>()
  /** Further names tried for each number of a file: none is tried twice, so that equal numbers and names cost no more than others. */
  private readonly tries = new Map<number, number>()

  pathOf(file: number, wanted: string): string {
    let path = this.isFree(wanted) ? wanted : wanted.replace(/[^/]*$/, `${file}-$&`)
    while (!this.isFree(path)) {
      const n = this.tries.get(file) ?? 0
      this.tries.set(file, n + 1)
      path = `${n === 0 ? file : `${file}-${n}`}-${wanted}`
    }
    const folded = foldedName(path)
    this.files.add(folded)
    for (const folder of foldersOf(folded)) this.folders.add(folder)
    return path
  }

  private isFree(path: string): boolean {
    const folded = foldedName(path)
    return !this.files.has(folded) && !this.folders.has(folded) && !foldersOf(folded).some((one) => this.files.has(one))
  }
}
