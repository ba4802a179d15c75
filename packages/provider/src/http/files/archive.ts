import { Readable } from 'node:stream'
import type { Asset } from '@tidegate/catalog'
import { DistinctPaths } from '@tidegate/protocol/distinct-paths'
import { type FileDescription, type OpenedFile, type StoredFile, safeName, safePath } from '@tidegate/storage'
import { ZIP_FORMAT } from '../../constants.js'
import { fallbackName } from './disposition.js'
import { declaredLength } from './pump.js'
import { zipLength } from './zip-format.js'
import { type ZipSource, zipStream } from './zip-stream.js'

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
 * Opens a ZIP archive of files with UTF-8 names. Files are opened in sequence as the archive is read, so that memory is
 * bounded. The body fails if one of them fails or has another length than declared. Rejects with the error of the first file.
 */
export async function openArchive(options: ArchiveOptions): Promise<Archive> {
  const first = await options.open(0)
  const bytes = new Map<string | undefined, number>()
  return { ...headOf(options), body: zipStream(sourcesOf(first, options, bytes)), bytes }
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
export function archiveLength(files: readonly StoredFile[], described: readonly FileDescription[]): number | undefined {
  const paths = new DistinctPaths()
  const sized: { path: string; size: number }[] = []
  for (const [index, file] of files.entries()) {
    const { contentLength: size, contentType, name } = described[index] as FileDescription
    if (size === undefined) return undefined
    const headers = contentType ? { 'content-type': contentType } : {}
    sized.push({ path: paths.pathOf(index, nameOf(index, file, { headers, ...(name ? { name } : {}) })), size })
  }
  return zipLength(sized)
}

async function* sourcesOf(
  first: OpenedFile,
  { files, open, modified }: ArchiveOptions,
  bytes: Map<string | undefined, number>,
): AsyncGenerator<ZipSource> {
  const paths = new DistinctPaths()
  for (const [index, file] of files.entries()) {
    const opened = index === 0 ? first : await open(index)
    const size = declaredLength(opened)
    yield {
      path: paths.pathOf(index, nameOf(index, file, opened)),
      modified: timeOf(opened, modified),
      size: Number.isFinite(size) ? size : undefined,
      body: opened.body,
      onBytes: (count) => bytes.set(opened.hostedBy, (bytes.get(opened.hostedBy) ?? 0) + count),
    }
  }
}

type Described = Pick<OpenedFile, 'name' | 'headers'>

/** Returns the path of a file in the archive, for every system: the publisher's name, the storage's, or a generic one. */
function nameOf(index: number, { publicName }: StoredFile, { name, headers }: Described): string {
  const path = publicName === undefined ? safeName(name ?? '') : safePath(publicName)
  // Windows has no such names
  return path.replace(/[<>:"|?*]/g, '_') || fallbackName(index, headers['content-type'])
}

/** Returns the time of a file: the storage's, unless archives have no such year. */
function timeOf({ headers }: Pick<OpenedFile, 'headers'>, modified: Date): Date {
  const told = new Date(headers['last-modified'] ?? '')
  const year = told.getUTCFullYear()
  return year >= ZIP_FORMAT.years.first && year <= ZIP_FORMAT.years.last ? told : modified
}
