import type { Socket } from 'node:net'
import { FRAMEWORK_ERRORS } from './errors.js'

/** What is wrong with bytes that never became a request, by the code of the HTTP parser. */
const KINDS: Record<string, keyof typeof FRAMEWORK_ERRORS> = {
  HPE_HEADER_OVERFLOW: 'HEADERS',
  ERR_HTTP_REQUEST_TIMEOUT: 'TIMEOUT',
}

/**
 * Answers bytes that cannot be read as a request with an error in the usual form, and closes the connection. Where it
 * carries a request in flight nothing is written: it would become part of that response.
 */
export function refuseUnreadable(error: Error & { code?: string }, socket: Socket, isBusy: boolean): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (!socket.writable || isBusy) return void socket.destroy()
  const [status, code, message] = FRAMEWORK_ERRORS[KINDS[error.code ?? ''] ?? 'OTHER']
  const body = JSON.stringify({ error: message, code })
  const lines = [
    `HTTP/1.1 ${status} `, // the phrase behind it is optional, and nobody reads it
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'access-control-allow-origin: *',
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  // what still comes is not read
  socket.destroySoon()
}
