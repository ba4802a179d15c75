import { accessSync, constants, existsSync, lstatSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { bytesText } from '@tidegate/client'
import { createFile, isForeign, makeFolders, readBeside, temporaryName } from '@tidegate/common/safe-files'
import { CommandError, misuse } from '@tidegate/provider/commands/failures'
import { CLI_LIMITS } from '../../limits.js'
import { shown } from '../output/text.js'

/** The destination of a download: a file of this name, or a folder for the provider's name. The folder may be missing. */
export interface Target {
  folder: string
  name?: string
}

/**
 * Reads --output, and checks that the place is writable, before anything is paid. Throws CommandError. `needsFolder` is for
 * several files.
 */
export function targetOf(output: string | undefined, needsFolder: boolean): Target {
  const path = resolve(output ?? '.')
  const isMissing = foundAt(path) === undefined
  const isFolder = output === undefined || /[/\\]$/.test(output) || (isMissing ? needsFolder : isDirectory(path))
  if (needsFolder && !isFolder) throw misuse('--output: several files need a folder.')
  const folder = isFolder ? path : dirname(path)
  const existing = existingFolder(folder)
  if (!isFolder && existing !== folder) throw misuse(`--output: there is no folder ${shown(folder)}.`)
  try {
    accessSync(existing, constants.W_OK | constants.X_OK)
  } catch {
    throw new CommandError('NOT_WRITABLE', `${shown(existing)} may not be written to.`)
  }
  return isFolder ? { folder } : { folder, name: basename(path) }
}

/** Returns a folder, or the nearest one above it if it is missing. Throws CommandError if a file is in the way. */
function existingFolder(folder: string): string {
  let existing = folder
  while (!entryOf(existing) && dirname(existing) !== existing) existing = dirname(existing)
  if (!isDirectory(existing))
    throw misuse(`--output: ${shown(existing)} is no folder, and a folder of this name is needed.`)
  return existing
}

/** Makes a missing folder, and those above it. Throws CommandError. */
export function makeFolder({ folder }: Target): void {
  try {
    makeFolders(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError('NOT_WRITABLE', `The folder ${shown(folder)} cannot be made: ${code}.`)
  }
}

/**
 * Checks that a download can write to its name, before anything is paid. Without `force` the name must be free; with it, a
 * file or a link itself is overwritten. Without a name, checks that files can be created. Throws CommandError.
 */
export async function assertWritable({ folder, name }: Target, force: boolean): Promise<void> {
  if (name === undefined || !existsSync(folder)) return assertCreates(existingFolder(folder))
  const path = join(folder, name)
  const entry = entryOf(path)
  if (entry && !entry.isFile() && !entry.isSymbolicLink())
    throw new CommandError('NOT_A_FILE', `${shown(path)} is a folder, device or pipe, which is not replaced.`)
  if (entry?.isSymbolicLink() && !force)
    throw new CommandError(
      'FILE_EXISTS',
      `${shown(path)} is a link, which is not followed. Name the file itself, or replace the link with --force.`,
    )
  if (entry && !force)
    throw new CommandError('FILE_EXISTS', `${shown(path)} already exists. Overwrite it with --force.`)
  const { checkTarget } = await import('@tidegate/client/node')
  await checkTarget(path, { overwrite: force }).catch((error: Error & { code?: string }) => {
    throw new CommandError(error.code ?? 'FAILED', `${shown(path)}: ${shown(error.message)}`)
  })
}

/** Checks that a folder accepts new files: its mode alone does not show that. Throws CommandError. */
function assertCreates(folder: string): void {
  const path = temporaryName(join(folder, '.tidegate'))
  try {
    createFile(path, '', { isDurable: false })
    rmSync(path, { force: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new CommandError('DISK_FULL', `${shown(folder)}: the disk is full.`)
    throw new CommandError('NOT_WRITABLE', `${shown(folder)} may not be written to.`)
  }
}

/** Most partial downloads of a folder that are examined. */
const PARTS = 1_000

/**
 * Returns the future name of a file in a folder, if it is known before the download: from a partial download, or from the
 * description of the asset. Providers may hide names until the purchase.
 */
export function nameInFolder(
  folder: string,
  wanted: { did: string; service: string; file: number },
  described: string | undefined,
): string | undefined {
  const parts = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith('.part.json'))
  const begun = parts.slice(0, PARTS).find((name) => isPartOf(join(folder, name), wanted))
  if (begun) return begun.slice(0, -'.part.json'.length)
  // the download would change any other name
  return described && described === basename(described) ? described : undefined
}

function isPartOf(path: string, wanted: { did: string; service: string; file: number }): boolean {
  try {
    const { did, service, file } = JSON.parse(readBeside(path, CLI_LIMITS.files.notes)) as Partial<typeof wanted>
    return did === wanted.did && service === wanted.service && file === wanted.file
  } catch {
    return false
  }
}

/** Throws CommandError if the disk has no room for the bytes, or for none at all if the size is unknown. */
export function assertRoom({ folder, name }: Target, bytes: number | undefined): void {
  const { blocks, bavail, bsize } = statfsSync(existingFolder(folder))
  // unknown on some file systems
  if (blocks === 0) return
  const begun = (name === undefined ? undefined : entryOf(join(folder, `${name}.part`))?.size) ?? 0
  const needed = bytes === undefined ? 1 : bytes - begun
  const left = bavail * bsize
  if (needed <= left) return
  const what = bytes === undefined ? 'nothing can be written to it' : `${bytesText(needed)} are to be written`
  throw new CommandError('DISK_FULL', `${shown(folder)} has ${bytesText(left)} left, and ${what}.`)
}

/** Returns the entry of a name, without following a link. Throws CommandError. */
export function entryOf(path: string) {
  return asked(path, () => lstatSync(path, { throwIfNoEntry: false }))
}

/**
 * Returns the target of a path; undefined if there is none. Throws CommandError, also for a link that another user may have
 * planted.
 */
export function foundAt(path: string) {
  if (entryOf(path)?.isSymbolicLink() && isForeign(lstatSync(path), dirname(path)))
    throw new CommandError('UNSAFE_LINK', `--output: ${shown(path)} is a link of another user, which is not followed.`)
  return asked(path, () => statSync(path, { throwIfNoEntry: false }))
}

function asked<T>(path: string, ask: () => T): T {
  try {
    return ask()
  } catch (error) {
    const { code = 'FAILED' } = error as NodeJS.ErrnoException
    const reason =
      {
        ENAMETOOLONG: 'the name is too long',
        EACCES: 'may not be read',
        ENOTDIR: 'a file is in the way',
        ELOOP: 'leads to itself',
      }[code] ?? code
    throw misuse(`--output: ${shown(path)}: ${reason}.`)
  }
}

const isDirectory = (path: string) => foundAt(path)?.isDirectory() === true
