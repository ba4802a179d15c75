import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FileObject } from '@tidegate/client'
import { CommandError, misuse } from '@tidegate/provider/commands/failures'
import { CLI_LIMITS } from '../../limits.js'
import { shown } from '../output/text.js'

/** A local file to upload. */
export interface LocalFile {
  path: string
  /** Its public name: below a folder a relative path with `/`. Undefined for an anonymous file. */
  name: string | undefined
  /** Bytes; only of a file below a folder. */
  size?: number
  /** Its storage object, if the provider has the same bytes already. */
  known?: FileObject
}

const { listed: LISTED } = CLI_LIMITS.files

/**
 * Lists the files below a folder by name. Leaves out hidden files and folders unless `hidden` is set. Throws CommandError for
 * a symbolic link, device, FIFO or socket, a name that is not UTF-8, and an unreadable folder.
 */
export function filesBelow(folder: string, hidden: boolean): LocalFile[] {
  const names: string[] = []
  for (const waiting = ['']; waiting.length > 0; ) {
    const below = waiting.pop() as string
    for (const entry of entriesOf(join(folder, below))) {
      if (!hidden && entry.name.startsWith('.')) continue
      const name = below + entry.name
      assertPublishable(entry, join(folder, name))
      if (entry.isDirectory()) waiting.push(`${name}/`)
      else names.push(name)
    }
    if (names.length > LISTED) throw misuse(`${shown(folder)}: has more than ${LISTED.toLocaleString('en')} files.`)
  }
  if (names.length === 0) throw misuse(`${shown(folder)}: has no file${hidden ? '' : ' that is not hidden'}.`)
  return names.sort().map((name) => {
    const path = join(folder, name)
    return { path, name, size: lstatSync(path).size }
  })
}

/** Throws CommandError `FILE_CHANGED` if a file of a folder is gone, or has another size. */
export function assertUnchanged({ path, size }: LocalFile): void {
  if (size === undefined) return
  const now = lstatSync(path, { throwIfNoEntry: false })
  if (now?.isFile() && now.size === size) return
  throw new CommandError('FILE_CHANGED', `${shown(path)} has changed meanwhile. Nothing was published.`)
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    throw misuse(`${shown(folder)}: cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
}

function assertPublishable(entry: Dirent, path: string): void {
  if (entry.isSymbolicLink()) throw misuse(`${shown(path)}: is a symbolic link, which is not followed.`)
  if (!entry.isFile() && !entry.isDirectory()) throw misuse(`${shown(path)}: is a device, FIFO or socket.`)
  // Node's replacement for bytes that are not UTF-8
  if (entry.name.includes('\ufffd')) throw misuse(`${shown(path)}: the name is not UTF-8.`)
}
