import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { TidegateError } from '../errors.js'

/** Milliseconds between heartbeats, and after how many without one a lock is stale. */
const HEARTBEAT = 2_000
const STALE_AFTER = 15_000

/** Who works on a file: at most one process, of whatever machine sees the folder. */
export interface Lock {
  release(): Promise<void>
}

/**
 * Takes the lock of a file: a file beside it, touched while its owner lives. One that a process left when it was killed
 * is taken over, at once on the same machine. Throws TidegateError `BUSY` where somebody else has it.
 */
export async function lockOf(path: string): Promise<Lock> {
  const own = JSON.stringify({ host: hostname(), pid: process.pid, id: randomUUID() })
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await created(path, own)) return held(path, own)
    if (!(await isStale(path))) break
    // of several that find it stale only one moves it away
    const aside = `${path}.${randomUUID()}`
    await rename(path, aside).catch(() => undefined)
    await rm(aside, { force: true })
  }
  throw new TidegateError('BUSY', 'Another process works on this file.')
}

async function created(path: string, own: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.writeFile(own)
    await file.close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    const [{ mtimeMs }, text] = await Promise.all([stat(path), readFile(path, 'utf8')])
    if (Date.now() - mtimeMs > STALE_AFTER) return true
    // one that is being written is empty for a moment
    const { host, pid } = JSON.parse(text || '{}') as { host?: string; pid?: number }
    return host === hostname() && typeof pid === 'number' && !isAlive(pid)
  } catch (error) {
    // it was released meanwhile
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
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
    utimes(path, now, now).catch(() => undefined)
  }, HEARTBEAT)
  beat.unref()
  return {
    async release() {
      clearInterval(beat)
      // unless another process judged it stale and took it over
      if ((await readFile(path, 'utf8').catch(() => '')) === own) await rm(path, { force: true })
    },
  }
}
