import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Creates a file atomically: `work` fills a temporary one beside it (mode 0600), which is then synced and renamed. An
 * error leaves nothing behind. Temporary files of killed processes are removed. Throws the errors of `work` and of the
 * file system.
 */
export async function makeFile<T>(path: string, work: (temporary: string) => Promise<T>): Promise<T> {
  removeLeftovers(path)
  const temporary = `${path}.${process.pid}.partial`
  closeSync(openSync(temporary, 'wx', 0o600))
  try {
    const result = await work(temporary)
    sync(temporary, 'r+')
    renameSync(temporary, path)
    sync(dirname(path), 'r')
    return result
  } catch (error) {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(temporary + suffix, { force: true })
    throw error
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
    const pid = /^\.(\d+)\.partial(?:-journal|-wal|-shm)?$/.exec(name.slice(basename(path).length))?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

function isAlive(pid: number): boolean {
  // no other process has this pid, so a file with it is left over from an earlier process
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
