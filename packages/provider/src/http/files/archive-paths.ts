import { TakenPaths } from '@tidegate/protocol/public-name'
import { type OpenedFile, type StoredFile, safeName, safePath } from '@tidegate/storage'
import { fallbackName } from './disposition.js'

/** Paths of the files of one archive. A file whose path is taken gets its number in front. */
export class ArchivePaths {
  private readonly taken = new TakenPaths()

  /** Returns the path of the file at an index: the publisher's name, the storage's, or a generic one. */
  pathOf(index: number, { publicName }: StoredFile, { name, headers }: Pick<OpenedFile, 'name' | 'headers'>): string {
    const wanted = publicName === undefined ? safeName(name ?? '') : safePath(publicName)
    const generic = fallbackName(index, headers['content-type'])
    const path = wanted || generic
    const candidates = [path, path.replace(/[^/]*$/, `${index}-$&`), `${index}-${path}`, `${index}-${generic}`]
    const free = candidates.find((one) => this.taken.take(one))
    return free ?? this.numbered(index)
  }

  /** Files may be named like the generic names of others. */
  private numbered(index: number): string {
    for (let at = 0; ; at++) {
      const path = `${index}-${at}`
      if (this.taken.take(path)) return path
    }
  }
}
