import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { StartError } from '@tidegate/protocol'
import mime from 'mime-types'
import { PROVIDER_LIMITS } from '../limits.js'
import { consoleFolder } from './folder.js'

export type Coding = 'br' | 'gzip' | 'identity'

/** A file of the console in all its codings. */
export interface ConsoleFile {
  contentType: string
  /** Hash of the uncompressed content, in characters for an ETag. */
  hash: string
  /** Whether the name contains a hash of the content, so that the file never changes. */
  immutable: boolean
  /** The uncompressed bytes, and those of each smaller coding. */
  content: ReadonlyMap<Coding, Buffer>
}

/** Files by their path below /console/. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

/** Path of the page. */
export const PAGE = 'index.html'
/** Base path in the built page. */
const BASE = '/console/'
const COPIES = { '.br': 'br', '.gz': 'gzip' } as const

/** Whether the console is built. */
export function isConsoleBuilt(): boolean {
  return existsSync(new URL(PAGE, consoleFolder()))
}

/**
 * Reads the built console into memory, so that no request reaches the file system. `prefix`: path of the service at a
 * proxy, or ''. Throws StartError if the console is missing or incomplete.
 */
export function readConsole(folder: string, prefix: string): ConsoleFiles {
  const raw = new Map<string, Buffer>()
  let size = 0
  for (const path of pathsIn(folder)) {
    size += statSync(path).size
    if (raw.size >= PROVIDER_LIMITS.console.files || size > PROVIDER_LIMITS.console.size)
      throw new StartError([
        `CONSOLE: the built console has more than ${PROVIDER_LIMITS.console.files} files or ${PROVIDER_LIMITS.console.size} bytes.`,
      ])
    raw.set(relative(folder, path).split(sep).join('/'), readFileSync(path))
  }
  const page = raw.get(PAGE)
  if (!page) throw new StartError(['CONSOLE: the console has not been built. Run npm run build, or set CONSOLE=false.'])
  if (prefix !== '') movePage(raw, page, prefix)
  const names = [...raw.keys()].filter((name) => !isCopy(name, raw) && !/(^|\/)\./.test(name))
  return new Map(names.map((name) => [name, fileOf(name, raw)]))
}

/** Returns a file from memory that has no smaller codings. */
export function plainFile(contentType: string, bytes: Buffer): ConsoleFile {
  return { contentType, hash: hashOf(bytes), immutable: false, content: new Map([['identity', bytes]]) }
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64url').slice(0, 27)

function fileOf(name: string, raw: ReadonlyMap<string, Buffer>): ConsoleFile {
  const plain = raw.get(name) as Buffer
  const copies = Object.entries(COPIES).flatMap(([ending, coding]): [Coding, Buffer][] => {
    const copy = raw.get(name + ending)
    return copy ? [[coding, copy]] : []
  })
  return {
    contentType: mime.contentType(name.slice(name.lastIndexOf('/') + 1)) || 'application/octet-stream',
    hash: hashOf(plain),
    immutable: name.startsWith('assets/'),
    content: new Map<Coding, Buffer>([...copies, ['identity', plain]]),
  }
}

/** Adds the path of a proxy to the absolute paths of the page. No other file has such paths. */
function movePage(raw: Map<string, Buffer>, page: Buffer, prefix: string): void {
  // a URL path may contain an ampersand, but neither quotes nor angle brackets
  const base = `"${prefix.replaceAll('&', '&amp;')}${BASE}`
  const moved = Buffer.from(page.toString('utf8').replaceAll(`"${BASE}`, () => base))
  raw.set(PAGE, moved)
  raw.set(`${PAGE}.gz`, gzipSync(moved))
  raw.set(`${PAGE}.br`, brotliCompressSync(moved))
}

function isCopy(name: string, raw: ReadonlyMap<string, Buffer>): boolean {
  return Object.keys(COPIES).some((ending) => name.endsWith(ending) && raw.has(name.slice(0, -ending.length)))
}

/** Returns the regular files below a folder; none if the folder does not exist. */
function pathsIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
