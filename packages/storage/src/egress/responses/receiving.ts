import type { OnReadOpts, Socket } from 'node:net'
import { BufferPool } from '../../file-body.js'
import { STORAGE_LIMITS } from '../../limits.js'

const { chunk, slowChunk, slowAfter, quickReads, freeChunks } = STORAGE_LIMITS.receiving

const chunks = new BufferPool(chunk, freeChunks)
const slowChunks = new BufferPool(slowChunk, freeChunks)

/** The last read of a socket, as performance.now(), and the quick ones before it in succession. */
interface Pace {
  at: number
  quick: number
}

/**
 * Reads of plain sockets: all into one buffer, then a copy into a reused one. Node would allocate each chunk, and new memory
 * costs more than the copy: page faults, cache misses and garbage collections. Reads are small until a socket has been read quickly
 * for a while: a slow client holds a chunk until it has taken it.
 */
export function receiving(): OnReadOpts {
  const whole = Buffer.allocUnsafeSlow(chunk)
  const small = whole.subarray(0, slowChunk)
  const paces = new WeakMap<Socket, Pace>()
  let next: Buffer = small
  return {
    // Node asks for the next buffer of a socket after each callback
    buffer: () => next,
    callback(this: Socket, length: number, received: Uint8Array) {
      const copy = (length <= slowChunk ? slowChunks : chunks).take(length)
      copy.set(length < received.length ? received.subarray(0, length) : received)
      const isTaken = this.push(copy)
      next = isQuick(this, paces) ? whole : small
      return isTaken
    },
  }
}

function isQuick(socket: Socket, paces: WeakMap<Socket, Pace>): boolean {
  const now = performance.now()
  const pace = paces.get(socket)
  if (!pace) paces.set(socket, { at: now, quick: 0 })
  else {
    pace.quick = now - pace.at < slowAfter ? pace.quick + 1 : 0
    pace.at = now
  }
  return pace !== undefined && pace.quick >= quickReads
}

/** Takes back a chunk that has been sent. Ignores parts of chunks: other parts may still be in use. */
export function recycle(sent: Buffer): void {
  const { byteLength } = sent.buffer
  if (byteLength === chunk) chunks.release(sent)
  else if (byteLength === slowChunk) slowChunks.release(sent)
}
