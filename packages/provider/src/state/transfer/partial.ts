import { closeSync, fsyncSync, lstatSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createFile, renameAnew } from '@tidegate/common/safe-files'
import { StartError } from '@tidegate/protocol'

/**
 * Throws StartError if the path exists, even as a dangling link. With `force`, files are allowed, but no device or FIFO,
 * which would be replaced.
 */
export function assertFree(path: string, force: boolean): void {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry && !entry.isFile() && !entry.isSymbolicLink())
    throw new StartError([`${path} is a folder, device or pipe: name a file.`])
  if (entry && !force) throw new StartError([`${path} exists: choose another name, or replace it with --force.`])
}

/**
 * Creates a file atomically: `work` fills a temporary file (mode 0600) in a new folder beside it (mode 0700), where
 * nobody can plant a journal. The file is then synced and renamed. With `force` it replaces a file. An error leaves no
 * files. Removes temporary files of killed processes. Throws StartError, and the errors of `work` and of the file
 * system.
 */
export async function makeFile<T>(path: string, force: boolean, work: (temporary: string) => Promise<T>): Promise<T> {
  assertFree(path, force)
  removeLeftovers(path)
  const folder = mkdtempSync(`${path}.${process.pid}.partial-`)
  try {
    const temporary = join(folder, 'new')
    createFile(temporary, '', { isDurable: false })
    const result = await work(temporary)
    sync(temporary, 'r+')
    // another program may have created it meanwhile
    assertFree(path, force)
    if (force) renameSync(temporary, path)
    else await renameAnew(temporary, path)
    sync(dirname(path), 'r')
    return result
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function sync(path: string, flags: string): void {
  const file = openSync(path, flags)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function removeLeftovers(path: string): void {
  const folder = dirname(path)
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(path)}.`)) continue
    const pid = /^\.(\d+)\.partial-\w{6}$/.exec(name.slice(basename(path).length))?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  // this process has just started: an earlier one had the same pid
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
