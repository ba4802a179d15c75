import { TakenPaths } from '@tidegate/protocol/public-name'

/** Paths of the files of one order. A file whose path is taken gets its number in front. */
export class TreePaths {
  private readonly taken = new TakenPaths()

  pathOf(file: number, wanted: string): string {
    if (this.taken.take(wanted)) return wanted
    let path = wanted.replace(/[^/]*$/, `${file}-$&`)
    while (!this.taken.take(path)) path = `${file}-${path}`
    return path
  }
}
