import type { Socket } from 'node:net'

/** Bytes of a `100 Continue` with its headers: there is nothing in it to be told. */
const LONGEST_CONTINUE = 4096
/** Bytes of `HTTP/1.1 100`. */
const STATUS_LINE = 12

/**
 * Mends two things that the HTTP library does with a connection to a storage. It takes a reset for the end of an answer
 * that has neither length nor chunks, so that half a file looks whole: here the reset is told as what it is. And it
 * ends the connection at a `100 Continue` that nobody asked for, which RFC 9110 has every client pass over.
 */
export function mended(socket: Socket): Socket {
  // before the library's own listener, which looks at the code
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') error.code = RESET
  })
  passOverContinue(socket)
  return socket
}

/** What the code of a reset becomes: the library makes nothing of it. */
export const RESET = 'STORAGE_RESET'

function passOverContinue(socket: Socket): void {
  const { read, write } = socket
  // only what follows a request can be its answer; the bytes of a file are left as they are
  let expecting = false
  let held: Buffer | undefined
  socket.write = function expectingAnswer(...args: unknown[]) {
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
        if (bytes.length > LONGEST_CONTINUE) break
        if (bytes.length > 0) held = bytes
        return null
      }
      bytes = bytes.subarray(end + 4)
    }
    expecting = false
    return bytes
  }
}

/** Whether bytes are the beginning of a `100 Continue`, or might yet be. */
function mayBeContinue(bytes: Buffer): boolean {
  if (bytes.length >= STATUS_LINE) return /^HTTP\/1\.[01] 100$/.test(bytes.toString('latin1', 0, STATUS_LINE))
  const start = bytes.toString('latin1')
  return 'HTTP/1.1 100'.startsWith(start) || 'HTTP/1.0 100'.startsWith(start)
}
