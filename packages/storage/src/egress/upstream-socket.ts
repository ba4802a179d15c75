import type { Socket } from 'node:net'
import { ResponseHeads } from './response-heads.js'

/**
 * Works around two properties of the HTTP library. It takes a reset for the end of a response that has neither length nor
 * chunks, so that half a file looks complete: here a reset is an error. And it refuses heads that RFC 9112 lets a recipient
 * repair, and some framing that it should refuse it accepts: here it gets strict heads alone.
 */
export function strictSocket(socket: Socket): Socket {
  // runs before the library's own listener, which checks the code
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') error.code = RESET
  })
  repairHeads(socket)
  return socket
}

/** Replaces the error code of a reset: the library does not handle this one. */
export const RESET = 'STORAGE_RESET'

function repairHeads(socket: Socket): void {
  const { read, write } = socket
  // only data after a request can be its response; the bytes of a file stay untouched
  const heads = new ResponseHeads()
  socket.write = function expectResponse(...args: unknown[]) {
    heads.expect()
    return write.apply(socket, args as never)
  } as typeof write
  socket.read = function strict(size?: number) {
    const chunk = read.call(socket, size) as Buffer | null
    if (chunk === null) return chunk
    try {
      return heads.take(chunk)
    } catch (error) {
      socket.destroy(error as Error)
      return null
    }
  }
}
