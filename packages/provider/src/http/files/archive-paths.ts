import { type OpenedFile, type StoredFile, safeName, safePath } from '@tidegate/storage'
import { fallbackName } from './disposition.js'

/**
 * Paths of the files of one archive. None can replace another or need its place as a folder, on any system: paths that
 * differ only in case or Unicode form get the number of their file in front.
 */
export class ArchivePaths {
  private readonly files = new Set<string>()
  private readonly folders = new Set<string>()

  /** Returns the path of the file at an index: the publisher's name, the storage's, or a generic one. */
  pathOf(index: number, { publicName }: StoredFile, { name, headers }: Pick<OpenedFile, 'name' | 'headers'>): string {
    const wanted = publicName === undefined ? safeName(name ?? '') : safePath(publicName)
    const generic = fallbackName(index, headers['content-type'])
    const path = wanted || generic
    const candidates = [path, path.replace(/[^/]*$/, `${index}-$&`), `${index}-${path}`, `${index}-${generic}`]
    const free = candidates.find((one) => this.take(one))
    return free ?? this.numbered(index)
  }

  /** Files may be named like the generic names of others. */
  private numbered(index: number): string {
    for (let at = 0; ; at++) {
      const path = `${index}-${at}`
      if (this.take(path)) return path
    }
  }

  private take(path: string): boolean {
    const key = path.normalize('NFC').toLowerCase()
    const parents: string[] = []
    for (let at = key.indexOf('/'); at !== -1; at = key.indexOf('/', at + 1)) parents.push(key.slice(0, at))
    if (this.files.has(key) || this.folders.has(key) || parents.some((one) => this.files.has(one))) return false
    this.files.add(key)
    for (const parent of parents) this.folders.add(parent)
    return true
  }
}
