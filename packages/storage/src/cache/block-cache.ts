import { constants, type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { STORAGE_LIMITS } from '../limits.js'
import { Shard } from './shard.js'

/**
 * An event of a block: `hit`, `miss`, `stored`, `evicted`; `corrupt`: the file of a block held something else, and
 * was removed; `skipped`: the disk was too slow, or failed a moment ago; `failed`: the disk failed.
 */
export type CacheEvent = 'hit' | 'miss' | 'stored' | 'evicted' | 'corrupt' | 'skipped' | 'failed'

export interface BlockCacheOptions {
  /** Created when the first block is stored. */
  folder: string
  /** Bytes of all blocks. */
  size: number
  /** Processes that share the folder. */
  writers: number
  /** Called with an event, and the number of its blocks. */
  onEvent?: (event: CacheEvent, count: number) => void
  /** Folders that the blocks are spread over; default: 64. */
  shards?: number
}

/** Follows no link, and never waits for a FIFO. */
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Decides whether bytes are those of a block. */
export type Verify = (bytes: Uint8Array) => Promise<boolean>

/**
 * Blocks of content-addressed files on disk, shared by the processes of a service. The least recently used are evicted.
 * Failures of the disk never reach the caller: an unreadable block counts as missing, and an unwritable one is not stored.
 */
export class BlockCache {
  private readonly shards: readonly Shard[]
  private readonly writing = new Map<string, Promise<void>>()
  private bytesWriting = 0
  /** Until when nothing is written, after a failure; by `performance.now()`. */
  private pausedUntil = 0
  private readonly count: (event: CacheEvent, count?: number) => void

  constructor({ folder, size, writers, onEvent, shards = STORAGE_LIMITS.cache.shards }: BlockCacheOptions) {
    this.count = (event, count = 1) => onEvent?.(event, count)
    this.shards = Array.from({ length: shards }, (_, at) => {
      const place = join(folder, 'blocks', at.toString(16).padStart(2, '0'))
      return new Shard(place, { size: size / shards, writers }, (count) => this.count('evicted', count))
    })
  }

  /** Reads a block by its multihash, if it is there and passes `verify`. Never rejects. */
  async get(multihash: Uint8Array, verify: Verify): Promise<Uint8Array | undefined> {
    const { shard, name } = this.place(multihash)
    const path = shard.path(name)
    const bytes = await readBlock(path)
    if (bytes && (await verify(bytes))) {
      this.count('hit')
      return bytes
    }
    this.count(bytes ? 'corrupt' : 'miss')
    if (bytes) await rm(path, { force: true }).catch(() => undefined)
    return undefined
  }

  /** Whether a block seems to be there. Never rejects. */
  async has(multihash: Uint8Array): Promise<boolean> {
    const { shard, name } = this.place(multihash)
    const handle = await open(shard.path(name), READING).catch(() => undefined)
    await handle?.close().catch(() => undefined)
    return handle !== undefined
  }

  /** Stores a verified block in the background, if the disk keeps up. Never throws. */
  put(multihash: Uint8Array, bytes: Uint8Array): void {
    const { shard, name } = this.place(multihash)
    if (this.writing.has(name)) return
    if (performance.now() < this.pausedUntil || this.bytesWriting + bytes.length > STORAGE_LIMITS.cache.writing) {
      this.count('skipped')
      return
    }
    this.bytesWriting += bytes.length
    const written = shard.add(name, bytes).then(
      (added) => added && this.count('stored'),
      () => {
        this.pausedUntil = performance.now() + STORAGE_LIMITS.cache.pause
        this.count('failed')
      },
    )
    const done = written.then(() => {
      this.bytesWriting -= bytes.length
      this.writing.delete(name)
    })
    this.writing.set(name, done)
  }

  /** Resolves when all pending writes have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.writing.values())
  }

  private place(multihash: Uint8Array): { shard: Shard; name: string } {
    // the last byte of a hash is as random as any
    const shard = this.shards[(multihash.at(-1) ?? 0) % this.shards.length] as Shard
    return { shard, name: Buffer.from(multihash).toString('hex') }
  }
}

/** Reads the file of a block. Returns undefined if it is missing, unreadable or too large. */
async function readBlock(path: string): Promise<Uint8Array | undefined> {
  const handle = await open(path, READING).catch(() => undefined)
  if (!handle) return undefined
  try {
    const { size, mtimeMs } = await handle.stat()
    if (size > STORAGE_LIMITS.ipfs.block) return new Uint8Array()
    const bytes = Buffer.allocUnsafeSlow(size)
    const { bytesRead } = await handle.read(bytes, 0, size, 0)
    await touch(handle, mtimeMs)
    return bytes.subarray(0, bytesRead)
  } catch {
    return undefined
  } finally {
    await handle.close().catch(() => undefined)
  }
}

/** Notes that a block was used, in the time of its file. */
async function touch(handle: FileHandle, used: number): Promise<void> {
  const now = Date.now()
  if (now - used < STORAGE_LIMITS.cache.touchAfter) return
  await handle.utimes(now / 1000, now / 1000).catch(() => undefined)
}
