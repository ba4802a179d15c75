import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { Asset } from '@tidegate/catalog'
import { DistinctPaths } from '@tidegate/protocol/distinct-paths'
import { discard, type FileDescription, type OpenedFile, type StoredFile, safeName, safePath } from '@tidegate/storage'
import { ZipFile } from 'yazl'
import { fallbackName } from './disposition.js'
import { declaredLength } from './pump.js'

/** The media type of archives. */
const ZIP = 'application/zip'

export interface ArchiveOptions {
  files: readonly StoredFile[]
  /** Opens the file at an index. */
  open(index: number): Promise<OpenedFile>
  /** Time of files whose storage tells none. */
  modified: Date
  /** Bytes of the archive; undefined if they are not known. */
  length?: number | undefined
  /** Name of the archive. */
  name: string
}

/** An archive that is read like any other file, and the bytes that were read for it. */
export interface Archive extends OpenedFile {
  /** Bytes of files by the publisher who hosts them here; undefined: of other files. */
  readonly bytes: ReadonlyMap<string | undefined, number>
}

/**
 * Opens a ZIP archive of files: stored, ZIP64 if needed, UTF-8 names. Files are opened one after the other as the archive
 * is read, so that memory is bounded. The body fails if one of them fails or has another length than declared. Rejects with
 * the error of the first file.
 */
export async function openArchive(options: ArchiveOptions): Promise<Archive> {
  const first = await options.open(0)
  const zip = new ZipFile()
  const body = zip.outputStream as Readable
  const bytes = new Map<string | undefined, number>()
  zip.on('error', (error) => body.destroy(error))
  addAll(zip, body, first, options, bytes).catch((error) => body.destroy(error))
  return { ...headOf(options), body, bytes }
}

/** Returns the name of the archive of an asset's files. */
export const archiveName = ({ ddo }: Pick<Asset, 'ddo'>) => `asset-${ddo.id.slice(-8)}.zip`

/** Returns the archive without its bytes, for HEAD. */
export function describeArchive(options: Pick<ArchiveOptions, 'name' | 'length'>): Archive {
  return { ...headOf(options), body: Readable.from([]), bytes: new Map() }
}

function headOf({ name, length }: Pick<ArchiveOptions, 'name' | 'length'>) {
  const sized = length === undefined ? {} : { 'content-length': String(length) }
  return { status: 200, headers: { 'content-type': ZIP, ...sized }, name } as const
}

/** Returns the bytes of an archive of described files; undefined if the length of one is not known. */
export function archiveLength(
  files: readonly StoredFile[],
  described: readonly FileDescription[],
  modified: Date,
): number | undefined {
  const zip = new ZipFile()
  const paths = new DistinctPaths()
  for (const [index, file] of files.entries()) {
    const { contentLength, contentType, name } = described[index] as FileDescription
    if (contentLength === undefined) return undefined
    const headers = { 'content-length': String(contentLength), ...(contentType ? { 'content-type': contentType } : {}) }
    const path = paths.pathOf(index, nameOf(index, file, { headers, ...(name ? { name } : {}) }))
    zip.addReadStreamLazy(path, entryOf({ headers }, modified), () => undefined)
  }
  let length: number | undefined
  const take = (bytes: number) => {
    length = bytes
  }
  zip.end(endOf(files), take as () => void)
  return length
}

/** The library counts a directory of 64 KiB wrongly, unless its end is of the 64-bit form. Fifty files have a shorter one. */
const endOf = (files: readonly StoredFile[]) => ({ forceZip64Format: files.length > 50, comment: '' })

async function addAll(
  zip: ZipFile,
  body: Readable,
  first: OpenedFile,
  { files, open, modified }: ArchiveOptions,
  bytes: Map<string | undefined, number>,
): Promise<void> {
  const paths = new DistinctPaths()
  for (const [index, file] of files.entries()) {
    const opened = index === 0 ? first : await open(index)
    const leave = () => discard(opened.body)
    if (body.destroyed) return leave()
    body.once('close', leave)
    opened.body.on('data', (chunk: Buffer) => {
      bytes.set(opened.hostedBy, (bytes.get(opened.hostedBy) ?? 0) + chunk.length)
    })
    opened.body.pause()
    const ended = once(opened.body, 'end')
    zip.addReadStream(opened.body, paths.pathOf(index, nameOf(index, file, opened)), entryOf(opened, modified))
    await ended
    body.off('close', leave)
  }
  zip.end(endOf(files))
}

type Described = Pick<OpenedFile, 'name' | 'headers'>

/** Returns the path of a file in the archive: the publisher's name, the storage's, or a generic one. */
function nameOf(index: number, { publicName }: StoredFile, { name, headers }: Described): string {
  const path = publicName === undefined ? safeName(name ?? '') : safePath(publicName)
  return path || fallbackName(index, headers['content-type'])
}

function entryOf(opened: Pick<OpenedFile, 'headers'>, modified: Date) {
  const size = declaredLength(opened)
  const told = new Date(opened.headers['last-modified'] ?? '')
  // ZIP knows the years from 1980 to 2107
  const mtime = told.getUTCFullYear() > 1980 && told.getUTCFullYear() < 2107 ? told : modified
  const length = Number.isFinite(size) ? { size } : { forceZip64Format: true }
  return { compress: false, mode: 0o100644, mtime, ...length }
}
