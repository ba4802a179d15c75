import type { FastifyReply } from 'fastify'
import { PROVIDER_LIMITS } from '../../limits.js'

export const { socketBuffer: SOCKET_BUFFER } = PROVIDER_LIMITS.http

/**
 * Destroys a response of `bytes` bytes (NaN: unknown) if its client reads nothing for `timeout` milliseconds. A stalled
 * storage does not count: egress has a timeout of its own.
 */
export function setWriteStallTimeout({ raw }: FastifyReply, bytes: number, timeout: number): void {
  if (bytes <= SOCKET_BUFFER) return
  raw.setTimeout(timeout, () => {
    if (raw.writableLength > 0) raw.destroy()
  })
}

/**
 * Resolves when the client has read the response or has left. Destroys the response if the client reads too slowly:
 * single bytes would otherwise keep it in flight forever.
 */
export function limitReading({ raw, request }: FastifyReply, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    const { responsePiece, piece } = PROVIDER_LIMITS.http
    const late = setTimeout(() => raw.destroy(), responsePiece * Math.ceil(bytes / piece))
    const read = () => {
      clearTimeout(late)
      raw.off('drain', read)
      resolve()
    }
    raw.once('drain', read)
    request.lifetime.onEnd(read)
  })
}
