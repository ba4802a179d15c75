import { createHash, type Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { createSHA256, type IHasher } from 'hash-wasm'
import { LRUCache } from 'lru-cache'
import type { RunningHash } from './file-backend.js'
import { HOSTING_LIMITS } from './limits.js'
import { lostBytes } from './refusals.js'

/**
 * The hashes of uploads whose bytes can be read before they are complete. One that is not in memory, because another
 * process wrote the beginning or this one was restarted, is computed again from the stored bytes.
 */
export class RereadHashes {
  private readonly known = new LRUCache<string, { hash: Hash; bytes: number }>({ max: HOSTING_LIMITS.hosting.hashes })

  /** Returns the hash of the first bytes of an upload. `read` returns these bytes if they are needed. Throws HostingError if there are fewer. */
  async begin(id: string, bytes: number, read: () => Promise<Readable>): Promise<RunningHash> {
    const known = this.known.get(id)
    const hash = known?.bytes === bytes ? known.hash.copy() : createHash('sha256')
    if (bytes > 0 && known?.bytes !== bytes) {
      let left = bytes
      for await (const chunk of await read()) {
        hash.update(chunk as Uint8Array)
        left -= (chunk as Uint8Array).length
      }
      if (left > 0) throw lostBytes()
    }
    return {
      update: (chunk) => void hash.update(chunk),
      keep: (durable) => {
        this.known.set(id, { hash: hash.copy(), bytes: durable })
        return null
      },
      hex: () => {
        this.known.delete(id)
        return hash.copy().digest('hex')
      },
    }
  }

  forget(id: string): void {
    this.known.delete(id)
  }
}

/**
 * Returns a hash that continues from a state that any instance has saved, or from the beginning. Several times slower than
 * that of Node, whose state cannot be kept. Undefined if another version of the library has kept the state.
 */
export async function savedHash(state: string | null): Promise<RunningHash | undefined> {
  const hash = await createSHA256()
  if (state === null) hash.init()
  else if (!hasLoaded(hash, state)) return undefined
  let hex: string | undefined
  return {
    update: (chunk) => void hash.update(chunk),
    keep: () => Buffer.from(hash.save()).toString('base64'),
    hex: () => {
      hex ??= hash.digest('hex')
      return hex
    },
  }
}

function hasLoaded(hash: IHasher, state: string): boolean {
  try {
    hash.load(Buffer.from(state, 'base64'))
    return true
  } catch {
    return false
  }
}
