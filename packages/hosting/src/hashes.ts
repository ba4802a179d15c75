import { createHash, type Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { createSHA256, type IHasher } from 'hash-wasm'
import { LRUCache } from 'lru-cache'
import type { FileBackend, RunningHash } from './file-backend.js'
import type { HostedRow } from './hosted-store.js'
import { HOSTING_LIMITS } from './limits.js'
import { lostBytes } from './refusals.js'

/** Returns the SHA-256 of the stored bytes of a complete file, in hex. */
export async function storedHash(
  file: Pick<HostedRow, 'id' | 'size' | 'place'>,
  backend: Pick<FileBackend, 'read'>,
): Promise<string> {
  const hash = createHash('sha256')
  if (file.size > 0)
    for await (const chunk of await backend.read(file, 0, file.size - 1)) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

/** Hashes of uploads whose bytes can be read before they are complete. A missing hash is computed from the stored bytes. */
export class RereadHashes {
  private readonly known = new LRUCache<string, { hash: Hash; bytes: number }>({ max: HOSTING_LIMITS.hosting.hashes })

  /** Returns the hash of the first `bytes` of an upload. `read` returns these bytes. Throws HostingError if there are fewer. */
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
      save: (durable) => {
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
 * Returns a hash that continues from a saved state, or from the first byte. Slower than Node's hash, which cannot save its
 * state. Undefined if another version of the library saved the state.
 */
export async function savedHash(state: string | null): Promise<RunningHash | undefined> {
  const hash = await createSHA256()
  if (state === null) hash.init()
  else if (!hasLoaded(hash, state)) return undefined
  let hex: string | undefined
  return {
    update: (chunk) => void hash.update(chunk),
    save: () => Buffer.from(hash.save()).toString('base64'),
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
