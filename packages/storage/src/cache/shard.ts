import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { STORAGE_LIMITS } from '../limits.js'

/** Limits of one folder of the cache. */
export interface ShardLimits {
  /** Bytes of all files in the folder. */
  size: number
  writers: number
}

interface Entry {
  path: string
  size: number
  used: number
}

const TEMPORARY = '.tmp'

/**
 * A folder of the cache. Its listing is the only record, so any number of processes may use it. A killed process leaves only
 * complete and temporary files. Between two listings each process adds a small share, so that together they stay below the
 * limit.
 */
export class Shard {
  /** Bytes in the folder at the last listing, and bytes that this process has added since; undefined before the first. */
  private known: { bytes: number; added: number } | undefined
  /** The last write of this process: writes are sequential. */
  private last: Promise<unknown> = Promise.resolve()
  private readonly unseen: number
  private readonly most: number

  constructor(
    private readonly folder: string,
    { size, writers }: ShardLimits,
    private readonly onEvicted: (count: number) => void,
  ) {
    this.unseen = size / (8 * writers)
    this.most = Math.max(size / 4, size - writers * (this.unseen + STORAGE_LIMITS.ipfs.block))
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** Adds a file unless it exists. Evicts other files first if the folder is full. Rejects if the disk fails. */
  add(name: string, bytes: Uint8Array): Promise<boolean> {
    const added = this.last.then(() => this.write(name, bytes))
    this.last = added.catch(() => undefined)
    return added
  }

  private async write(name: string, bytes: Uint8Array): Promise<boolean> {
    const path = this.path(name)
    if (await exists(path)) return false
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    await this.makeRoom(bytes.length)
    const temporary = `${path}.${process.pid}${TEMPORARY}`
    try {
      await writeFile(temporary, bytes, { mode: 0o600, flag: 'wx' })
      await rename(temporary, path)
    } catch (error) {
      this.known = undefined
      await rm(temporary, { force: true }).catch(() => undefined)
      throw error
    }
    if (this.known) this.known.added += bytes.length
    return true
  }

  private async makeRoom(bytes: number): Promise<void> {
    const { known } = this
    if (known && known.added + bytes <= this.unseen && known.bytes + known.added + bytes <= this.most) return
    const entries = await this.entries()
    let total = entries.reduce((sum, { size }) => sum + size, 0)
    const full = total + bytes > this.most
    let evicted = 0
    if (full) entries.sort((one, other) => one.used - other.used)
    const stale = Date.now() - STORAGE_LIMITS.cache.staleAfter
    for (const { path, size, used } of entries) {
      const left = path.endsWith(TEMPORARY) && used < stale
      if (!left && !(full && total + bytes > this.most * KEPT)) continue
      await rm(path, { force: true })
      total -= size
      if (!left) evicted += 1
    }
    if (evicted > 0) this.onEvicted(evicted)
    this.known = { bytes: total, added: 0 }
  }

  /** Lists the files of the folder. Skips those that another process removes meanwhile. */
  private async entries(): Promise<Entry[]> {
    const entries: Entry[] = []
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name)
      const found = await stat(path).catch(() => undefined)
      if (found?.isFile()) entries.push({ path, size: found.size, used: found.mtimeMs })
    }
    return entries
  }
}

/** Share of the limit that an eviction keeps, so that it makes room for many files. */
const KEPT = 7 / 8

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
