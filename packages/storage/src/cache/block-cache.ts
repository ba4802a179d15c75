import { constants, type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { STORAGE_LIMITS } from '../limits.js'
import { Shard } from './shard.js'

/** `corrupt`: a file with other bytes was removed; `skipped`: not stored, since the disk is slow or failed recently. */
export type CacheEvent = 'hit' | 'miss' | 'stored' | 'evicted' | 'corrupt' | 'skipped' | 'failed'

export interface BlockCacheOptions {
  /** Created when the first block is stored. */
  folder: string
  /** Bytes of all blocks. */
  size: number
  /** Processes that share the folder. */
  writers: number
  /** Called with an event and its number of blocks. */
  onEvent?: (event: CacheEvent, count: number) => void
  /** Number of folders for the blocks. Default: STORAGE_LIMITS.cache.shards. */
  shards?: number
}

/** Follows no links and never blocks on a FIFO. */
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Returns whether bytes are those of the requested block. */
export type Verify = (bytes: Uint8Array) => Promise<boolean>

/**
 * Blocks of content-addressed files on disk, shared by the processes of a service. Evicts the least recently used blocks.
 * Disk failures never reach the caller: unreadable blocks count as missing, unwritable ones are not stored.
 */
export class BlockCache {
  private readonly shards: readonly Shard[]
  private readonly writing = new Map<string, Promise<void>>()
  private bytesWriting = 0
  /** End of the pause of writes after a failure, by performance.now(). */
  private pausedUntil = 0
  private readonly count: (event: CacheEvent, count?: number) => void

  constructor({ folder, size, writers, onEvent, shards = STORAGE_LIMITS.cache.shards }: BlockCacheOptions) {
    this.count = (event, count = 1) => onEvent?.(event, count)
    this.shards = Array.from({ length: shards }, (_, at) => {
      const path = join(folder, 'blocks', at.toString(16).padStart(2, '0'))
      return new Shard(path, { size: size / shards, writers }, (count) => this.count('evicted', count))
    })
  }

  /** Returns the block of a multihash if it is stored and passes `verify`. Never rejects. */
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

  /** Whether a block is stored; its bytes are not verified. Never rejects. */
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
    // the last byte of a hash is random
    const shard = this.shards[(multihash.at(-1) ?? 0) % this.shards.length] as Shard
    return { shard, name: Buffer.from(multihash).toString('hex') }
  }
}

/** Reads the file of a block. Undefined if it is missing or unreadable; empty if it is too large. */
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

/** Records the use of a block as the modification time of its file. */
async function touch(handle: FileHandle, used: number): Promise<void> {
  const now = Date.now()
  if (now - used < STORAGE_LIMITS.cache.touchAfter) return
  await handle.utimes(now / 1000, now / 1000).catch(() => undefined)
}
