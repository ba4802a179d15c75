import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { CommandError, misuse } from '../failures.js'
import { bytesText } from './amounts.js'
import { shown } from './text.js'

/** Where a download goes: to a file of this name, or into a folder under the name that the provider tells. */
export interface Target {
  folder: string
  name?: string
}

/**
 * Reads --output, and makes sure that the place can be written to, before anything is paid. Throws CommandError.
 * `needsFolder` is for several files.
 */
export function targetOf(output: string | undefined, needsFolder: boolean): Target {
  const path = resolve(output ?? '.')
  const isFolder = output === undefined || /[/\\]$/.test(output) || isDirectory(path)
  if (needsFolder && !isFolder) throw misuse('--output: several files need a folder, with a slash at its end.')
  const folder = isFolder ? path : dirname(path)
  if (!isDirectory(folder)) throw misuse(`--output: there is no folder ${shown(folder)}.`)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch {
    throw new CommandError('NOT_WRITABLE', `${shown(folder)} may not be written to.`)
  }
  return isFolder ? { folder } : { folder, name: basename(path) }
}

/** Throws CommandError if the file exists: it would be overwritten. */
export function assertNotThere({ folder, name }: Target): void {
  if (name === undefined) return
  const path = join(folder, name)
  if (existsSync(path))
    throw new CommandError('FILE_EXISTS', `${shown(path)} already exists. Overwrite it with --force.`)
}

/** Partial downloads in a folder that are examined, and the maximum size of the notes of one. */
const PARTS = 1_000
const DESCRIPTION = 65_536

/**
 * The name that a file will get in a folder, as far as it is known before the download: from a partial download, or else
 * from the description of the asset. Providers may keep it to themselves until the file is bought.
 */
export function nameInFolder(
  folder: string,
  wanted: { did: string; service: string; file: number },
  described: string | undefined,
): string | undefined {
  const parts = readdirSync(folder).filter((name) => name.endsWith('.part.json'))
  const begun = parts.slice(0, PARTS).find((name) => isPartOf(join(folder, name), wanted))
  if (begun) return begun.slice(0, -'.part.json'.length)
  // what is not a plain name is not kept as it is
  return described && described === basename(described) ? described : undefined
}

function isPartOf(path: string, wanted: { did: string; service: string; file: number }): boolean {
  try {
    if (statSync(path).size > DESCRIPTION) return false
    const { did, service, file } = JSON.parse(readFileSync(path, 'utf8')) as Partial<typeof wanted>
    return did === wanted.did && service === wanted.service && file === wanted.file
  } catch {
    return false
  }
}

/** Throws CommandError where the disk has no room for so many bytes. */
export function assertRoom({ folder }: Target, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder)
  if (bytes <= bavail * bsize) return
  throw new CommandError(
    'DISK_FULL',
    `${shown(folder)} has ${bytesText(bavail * bsize)} left, and the files take ${bytesText(bytes)}.`,
  )
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
