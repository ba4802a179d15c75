import { randomUUID } from 'node:crypto'
import { lutimes, open, rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { TidegateError } from '../errors.js'
import { readRegular, temporaryName, UnsafeFileError } from './safe-files.js'

/** Milliseconds between heartbeats, and after how many without one a lock is stale. */
const HEARTBEAT = 2_000
const STALE_AFTER = 15_000
/** Maximum bytes of a lock. */
const LOCK = 4_096

/** Who works on a file: at most one process, of whatever machine sees the folder. */
export interface Lock {
  release(): Promise<void>
}

/**
 * Takes the lock of a file: a file beside it, touched while its owner lives. One that a process left when it was killed
 * is taken over, at once on the same machine. Throws TidegateError `BUSY` if somebody else has it, and `NOT_WRITABLE` if
 * something of this name is not a lock.
 */
export async function lockOf(path: string): Promise<Lock> {
  const own = JSON.stringify({ host: hostname(), pid: process.pid, id: randomUUID() })
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await created(path, own)) return held(path, own)
    if (!isStale(path)) break
    // of several that find it stale only one moves it away
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
    // on a full disk; an empty lock would be taken for another process's
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
    // one that is being written is empty for a moment
    const { host, pid } = JSON.parse(text || '{}') as { host?: string; pid?: number }
    return host === hostname() && typeof pid === 'number' && !isAlive(pid)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (error instanceof UnsafeFileError || code === 'ELOOP' || code === 'ENXIO')
      throw new TidegateError('NOT_WRITABLE', `${basename(path)} is not a lock: remove it, or choose another name.`)
    // it was released meanwhile
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
    // never of what a link leads to
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
