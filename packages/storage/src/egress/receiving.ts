import type { OnReadOpts, Socket } from 'node:net'
import { BufferPool } from '../file-body.js'
import { STORAGE_LIMITS } from '../limits.js'

const { chunk, freeChunks } = STORAGE_LIMITS.receiving

const chunks = new BufferPool(chunk, freeChunks)

/**
 * Reads of plain sockets: all into one buffer, then a copy into a reused one. Node would allocate each chunk, and new memory
 * costs more than the copy: page faults, cache misses and garbage collections.
 */
export function receiving(): OnReadOpts {
  return {
    buffer: Buffer.allocUnsafeSlow(chunk),
    callback(this: Socket, length: number, received: Uint8Array) {
      const copy = chunks.take(length)
      copy.set(length < chunk ? received.subarray(0, length) : received)
      return this.push(copy)
    },
  }
}

/** Takes back a chunk that has been sent. Ignores parts of chunks: other parts may still be in use. */
export function recycle(sent: Buffer): void {
  if (sent.buffer.byteLength === chunk) chunks.release(sent)
}
