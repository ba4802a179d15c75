import type { FastifyReply } from 'fastify'
import { PROVIDER_LIMITS } from '../limits.js'
import { limitReading, setWriteStallTimeout } from './limits/reading.js'

const { write: CHUNK } = PROVIDER_LIMITS.http

export interface PartsOptions {
  /** Maximum length of a response that is sent as a whole, in characters. An error in it gets an error status. */
  whole: number
  /** Milliseconds without progress after which a response is aborted. */
  stallTimeout: number
  /** Called with the bytes of a response in parts. */
  onSent(bytes: number): void
}

/**
 * Sends a text in parts as the client reads it, or a short text as a whole. An error after the first part breaks the
 * connection, so that the response cannot look complete.
 */
export async function sendParts(
  reply: FastifyReply,
  parts: AsyncGenerator<string>,
  { whole, stallTimeout, onSent }: PartsOptions,
): Promise<string | FastifyReply> {
  let text = ''
  while (text.length <= whole) {
    const { value, done } = await parts.next()
    if (done) return text
    text += value
  }
  const { raw, request } = reply.hijack()
  raw.writeHead(200, reply.getHeaders() as Record<string, string>)
  setWriteStallTimeout(reply, Number.NaN, stallTimeout)
  const write = async () => {
    const bytes = Buffer.byteLength(text)
    onSent(bytes)
    const isRead = raw.write(text)
    text = ''
    if (!isRead) await limitReading(reply, bytes)
  }
  try {
    await write()
    for await (const part of parts) {
      if (request.lifetime.ended) return reply
      text += part
      if (text.length >= CHUNK) await write()
    }
    await write()
    raw.end()
    await limitReading(reply, CHUNK)
  } catch (error) {
    request.log.warn({ type: (error as Error).name }, 'a response broke off')
    raw.destroy()
  }
  return reply
}
