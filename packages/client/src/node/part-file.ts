import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { ITSELF, isForeign } from '@tidegate/common/safe-files'
import { TidegateError } from '../errors.js'

/** Opens or creates `NAME.part`. Refuses a file that others could read, change or redirect. */
export async function openPart(target: string): Promise<FileHandle> {
  const path = `${target}.part`
  const flags = constants.O_RDWR | constants.O_CREAT | ITSELF
  const file = await open(path, flags, 0o666).catch((error: NodeJS.ErrnoException) => {
    const reason = { ELOOP: 'is a link', EISDIR: 'is a folder', ENXIO: 'is not a regular file' }[error.code ?? '']
    throw reason === undefined ? error : inTheWay(path, reason)
  })
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw inTheWay(path, 'is not a regular file')
    if (isForeign(stats, dirname(path))) throw inTheWay(path, 'belongs to another user')
    if (stats.nlink <= 1) return file
    const complete = await entryOf(target)
    // left by a run that was killed between its last two steps: the bytes already have their name
    if (complete?.ino !== stats.ino || complete.dev !== stats.dev) throw inTheWay(path, 'has a second name elsewhere')
    await rm(path)
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  return open(path, flags | constants.O_EXCL, 0o666)
}

/** Returns the error for a required name that another entry has. */
export function inTheWay(path: string, reason: string): TidegateError {
  return new TidegateError('NOT_WRITABLE', `${basename(path)} ${reason}: remove it, or choose another name.`)
}

/** Returns the entry of a name, without following a link. */
export function entryOf(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
}

/** Throws TidegateError `NOT_A_FILE` unless the entry is a file or a link: a rename would replace a device or a FIFO. */
export function assertReplaceable(entry: Stats | undefined): void {
  if (entry && !entry.isFile() && !entry.isSymbolicLink())
    throw new TidegateError('NOT_A_FILE', 'A folder, device or pipe has this name. It is not replaced.')
}
