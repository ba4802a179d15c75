import { randomUUID } from 'node:crypto'
import { lutimes, open, rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { readRegular, temporaryName, UnsafeFileError } from '@tidegate/common/safe-files'
import { TidegateError } from '../errors.js'
import { NODE_LIMITS } from '../limits.js'

const { heartbeat: HEARTBEAT, stale: STALE_AFTER, size: LOCK } = NODE_LIMITS.lock

/** A lock of a file for one process, on all machines that see the folder. */
export interface Lock {
  release(): Promise<void>
}

/**
 * Locks a file by a file beside it, which its owner touches as a heartbeat. Takes over the lock of a killed process, on the
 * same machine at once. Throws TidegateError `BUSY` if another process holds it, and `NOT_WRITABLE` if the name is not a
 * lock.
 */
export async function lockOf(path: string): Promise<Lock> {
  const own = JSON.stringify({ host: hostname(), pid: process.pid, id: randomUUID() })
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await created(path, own)) return held(path, own)
    if (!isStale(path)) break
    // only one of several processes moves a stale lock away
    const aside = temporaryName(path)
    await rename(path, aside).catch(() => undefined)
    await rm(aside, { force: true })
  }
  throw new TidegateError('BUSY', 'Another process works on this file.')
}

async function created(path: string, own: string): Promise<boolean> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined
    throw error
  })
  if (!file) return false
  try {
    await file.writeFile(own)
  } catch (error) {
    // the disk is full: an empty lock would look like another process's
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
  return true
}

function isStale(path: string): boolean {
  try {
    const { stats, text } = readRegular(path, LOCK)
    if (Date.now() - stats.mtimeMs > STALE_AFTER) return true
    // empty for a moment while it is written
    const { host, pid } = JSON.parse(text || '{}') as { host?: string; pid?: number }
    return host === hostname() && typeof pid === 'number' && !isAlive(pid)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (error instanceof UnsafeFileError || code === 'ELOOP' || code === 'ENXIO')
      throw new TidegateError('NOT_WRITABLE', `${basename(path)} is not a lock: remove it, or choose another name.`)
    // released meanwhile
    return code === 'ENOENT'
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function held(path: string, own: string): Lock {
  const beat = setInterval(() => {
    const now = new Date()
    // never touches the target of a link
    lutimes(path, now, now).catch(() => undefined)
  }, HEARTBEAT)
  beat.unref()
  return {
    async release() {
      clearInterval(beat)
      // unless another process judged it stale and took it over
      if (contentOf(path) === own) await rm(path, { force: true })
    },
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readRegular(path, LOCK).text
  } catch {
    return undefined
  }
}
