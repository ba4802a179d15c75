import type { FastifyReply } from 'fastify'
import { PROVIDER_LIMITS } from '../../limits.js'

/** Bytes that must be read in every `PROVIDER_LIMITS.http.responsePiece`. */
const PIECE = 65_536

/**
 * Resolves when the client has read what was written, or is gone. Cuts a response off whose client reads its `bytes` too
 * slowly: by a byte now and then it would keep its place among the requests in flight for ever.
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
