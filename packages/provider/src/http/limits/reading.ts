import type { FastifyReply } from 'fastify'
import { PROVIDER_LIMITS } from '../../limits.js'

/** Bytes that must be read in every `PROVIDER_LIMITS.http.responsePiece`. */
const PIECE = 65_536

/** Bytes that socket buffers accept although the client reads nothing. */
export const SOCKET_BUFFER = 65_536

/**
 * Destroys a response of `bytes` bytes (NaN: unknown) if its client reads nothing for `timeout` milliseconds. A stalled
 * storage does not count: egress has its own timeout for that.
 */
export function setWriteStallTimeout({ raw }: FastifyReply, bytes: number, timeout: number): void {
  if (bytes <= SOCKET_BUFFER) return
  raw.setTimeout(timeout, () => {
    if (raw.writableLength > 0) raw.destroy()
  })
}

/**
 * Resolves when the client has read the written bytes, or is gone. Destroys a response whose client reads its `bytes`
 * too slowly: otherwise a byte now and then would keep it in flight for ever.
 */
export function limitReading({ raw, request }: FastifyReply, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => raw.destroy(), PROVIDER_LIMITS.http.responsePiece * Math.ceil(bytes / PIECE))
    const read = () => {
      clearTimeout(late)
      raw.off('drain', read)
      resolve()
    }
    raw.once('drain', read)
    request.lifetime.onEnd(read)
  })
}
