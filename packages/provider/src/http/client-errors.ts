import type { Socket } from 'node:net'
import { FRAMEWORK_ERRORS } from './errors.js'

/** Errors of the HTTP parser, by its codes. */
const KINDS: Record<string, keyof typeof FRAMEWORK_ERRORS> = {
  HPE_HEADER_OVERFLOW: 'HEADERS',
  ERR_HTTP_REQUEST_TIMEOUT: 'TIMEOUT',
}

/**
 * Responds to bytes that are no HTTP request with a JSON error, and closes the connection. While a request is in flight
 * it writes nothing: the error would become part of that response.
 */
export function rejectMalformedRequest(error: Error & { code?: string }, socket: Socket, isBusy: boolean): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (!socket.writable || isBusy) return void socket.destroy()
  const [status, code, message] = FRAMEWORK_ERRORS[KINDS[error.code ?? ''] ?? 'OTHER']
  const body = JSON.stringify({ error: message, code })
  const lines = [
    `HTTP/1.1 ${status} `, // the reason phrase is optional (RFC 9112, section 4)
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'access-control-allow-origin: *',
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  // stops reading
  socket.destroySoon()
}
