import { foldedName } from './public-name.js'

/**
 * Paths of the files of one order. None replaces another or needs its place as a folder, also if a file system does not
 * distinguish names by case or Unicode normal form: a file whose path is taken gets its number in front.
 */
export class DistinctPaths {
  private readonly files = new Set<string>()
  private readonly folders = new Set<string>()

  pathOf(file: number, wanted: string): string {
    const numbered = wanted.replace(/[^/]*$/, `${file}-$&`)
    let path = this.isFree(wanted) ? wanted : numbered
    while (!this.isFree(path)) path = `${file}-${path}`
    this.files.add(foldedName(path))
    for (const folder of foldersOf(path)) this.folders.add(folder)
    return path
  }

  private isFree(path: string): boolean {
    const folded = foldedName(path)
    return !this.files.has(folded) && !this.folders.has(folded) && !foldersOf(path).some((one) => this.files.has(one))
  }
}

/** Returns the folders on the way to a path, folded. */
function foldersOf(path: string): string[] {
  const parts = foldedName(path).split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}
