import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { link, open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Mode of a file that only its owner can read. */
const PRIVATE = 0o600
/** The bit of a mode that lets every user write. */
const WRITABLE_BY_ALL = 0o002

/** Flags that open a file itself, not a link's target, and never wait for the other end of a FIFO. Windows has none of them. */
export const ITSELF = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** A file that another local user may have planted. Its code is `UNSAFE_FILE`; its message begins with the path. */
export class UnsafeFileError extends Error {
  override readonly name = 'UnsafeFileError'
  readonly code = 'UNSAFE_FILE'
}

/**
 * Whether a file may be planted: its owner is neither this user, nor root, nor the owner of its folder, who may replace it
 * anyway. This is Linux's rule `fs.protected_regular`. False on systems without owners.
 */
export function isForeign({ uid }: Stats, folder: string): boolean {
  return !isOurs(uid) && uid !== statSync(folder).uid
}

function isOurs(uid: number): boolean {
  const own = process.geteuid?.()
  return own === undefined || uid === own || uid === 0
}

/**
 * Makes a folder and those above it. Below /proc, which takes none, the recursive `mkdir` of Node never returns. Throws
 * the errors of the file system.
 */
export function makeFolders(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const above = dirname(path)
    if (code === 'ENOENT' && !existsSync(above)) {
      makeFolders(above, mode)
      makeFolders(path, mode)
    } else if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
}

/** Throws UnsafeFileError if another user owns a folder, or every user may write to it. */
export function assertOwnFolder(path: string): void {
  assertOwn(path, statSync(path))
}

function assertOwn(path: string, { uid, mode }: Stats): void {
  if (process.geteuid === undefined) return
  if (!isOurs(uid)) throw new UnsafeFileError(`${path} belongs to another user.`)
  if (mode & WRITABLE_BY_ALL) throw new UnsafeFileError(`${path} may be written to by every user.`)
}

/** Reads a regular file of bounded size. Follows no link and never waits. Throws UnsafeFileError, errors of the file system. */
export function readRegular(path: string, maxBytes: number, flags = ITSELF): { text: string; stats: Stats } {
  const file = openSync(path, constants.O_RDONLY | flags)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new UnsafeFileError(`${path} is not a regular file.`)
    if (stats.size > maxBytes) throw new UnsafeFileError(`${path} is too long.`)
    const bytes = Buffer.alloc(stats.size)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, length)
    return { text: bytes.toString('utf8', 0, length), stats }
  } finally {
    closeSync(file)
  }
}

/** Reads a file beside a download, unless another user may have planted it. Throws like `readRegular`. */
export function readBeside(path: string, maxBytes: number): string {
  const { text, stats } = readRegular(path, maxBytes)
  if (isForeign(stats, dirname(path))) throw new UnsafeFileError(`${path} belongs to another user.`)
  return text
}

/**
 * Reads a file that decides where this user signs and pays. File and folder must belong to this user or root, and not be
 * writable by every user. Follows a link of this user. Throws like `readRegular`.
 */
export function readTrusted(path: string, maxBytes: number): string {
  const { text, stats } = readRegular(path, maxBytes, constants.O_NONBLOCK ?? 0)
  assertOwn(path, stats)
  assertOwnFolder(dirname(path))
  return text
}

export interface WriteOptions {
  /** Whether only the owner can read it (default); otherwise the umask decides. */
  isPrivate?: boolean
  /** Whether it must survive a power failure (default: yes). */
  isDurable?: boolean
}

/** Creates a complete file or none. Fails with `EEXIST` if the name is taken, even by a link. */
export function createFile(
  path: string,
  content: string,
  { isPrivate = true, isDurable = true }: WriteOptions = {},
): void {
  const file = openSync(path, 'wx', isPrivate ? PRIVATE : 0o666)
  try {
    // the umask may have removed bits of the owner
    if (isPrivate) fchmodSync(file, PRIVATE)
    writeFileSync(file, content)
    if (isDurable) fsyncSync(file)
    closeSync(file)
  } catch (error) {
    try {
      closeSync(file)
    } catch {
      // already closed
    }
    rmSync(path, { force: true })
    throw error
  }
}

/**
 * Creates or replaces a file atomically. Replaces a link of this name, and never follows it. Throws the errors of the file
 * system.
 */
export function replaceFile(path: string, content: string, options: WriteOptions = {}): void {
  const temporary = temporaryName(path)
  createFile(temporary, content, options)
  try {
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/**
 * Adds a line to a file, which is made if it is missing, and survives a power failure. Lines of several processes stay whole, in one
 * order. Follows no link. Throws UnsafeFileError for a file that another user may have planted, errors of the file system.
 */
export function appendLine(
  path: string,
  line: string,
  { isPrivate = true }: Pick<WriteOptions, 'isPrivate'> = {},
): void {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | ITSELF
  const file = openSync(path, flags, isPrivate ? PRIVATE : 0o666)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile() || isForeign(stats, dirname(path)))
      throw new UnsafeFileError(`${path} is not a file of this user.`)
    // begins a line as well: an interrupted one may be the last
    writeSync(file, `\n${line}\n`)
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Returns an unguessable name beside a file. */
export function temporaryName(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}`
}

/** Renames without replacing: creates a hard link, which fails with `EEXIST`, unlike a rename. */
export async function renameAnew(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw error
    // a file system without hard links
    const file = await open(to, 'wx')
    await file.close()
    return rename(from, to)
  }
  await unlink(from)
}
