import type { Socket } from 'node:net'
import { BOUNDS } from '../../bounds.js'

/** Bytes of `HTTP/1.1 100`. */
const STATUS_LINE = 12

/**
 * Works around two faults of the HTTP library. It takes a reset for the end of a response that has neither length nor
 * chunks, so that half a file looks complete: here a reset is an error. And it closes the connection on an unsolicited
 * `100 Continue`, which RFC 9110 requires clients to ignore.
 */
export function strictSocket(socket: Socket): Socket {
  // runs before the library's own listener, which checks the code
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') error.code = RESET
  })
  skipContinue(socket)
  return socket
}

/** Replaces the error code of a reset: the library does not handle this one. */
export const RESET = 'STORAGE_RESET'

function skipContinue(socket: Socket): void {
  const { read, write } = socket
  // only data after a request can be its response; the bytes of a file stay untouched
  let expecting = false
  let held: Buffer | undefined
  socket.write = function expectResponse(...args: unknown[]) {
    expecting = true
    return write.apply(socket, args as never)
  } as typeof write
  socket.read = function final(size?: number) {
    const chunk = read.call(socket, size) as Buffer | null
    if (!expecting || chunk === null) return chunk
    let bytes = held ? Buffer.concat([held, chunk]) : chunk
    held = undefined
    while (mayBeContinue(bytes)) {
      const end = bytes.indexOf('\r\n\r\n')
      if (end < 0) {
        if (bytes.length > BOUNDS.files.continue) break
        if (bytes.length > 0) held = bytes
        return null
      }
      bytes = bytes.subarray(end + 4)
    }
    expecting = false
    return bytes
  }
}

/** Whether bytes are, or may become, the start of a `100 Continue`. */
function mayBeContinue(bytes: Buffer): boolean {
  if (bytes.length >= STATUS_LINE) return /^HTTP\/1\.[01] 100$/.test(bytes.toString('latin1', 0, STATUS_LINE))
  const start = bytes.toString('latin1')
  return 'HTTP/1.1 100'.startsWith(start) || 'HTTP/1.0 100'.startsWith(start)
}
