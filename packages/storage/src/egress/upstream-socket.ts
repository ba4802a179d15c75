import type { Socket } from 'node:net'
import { ResponseHeads } from './response-heads.js'

/**
 * Works around two properties of undici. It takes a reset for the end of a response without length and chunks, so that half a
 * file looks complete: here a reset is an error. And it refuses repairable heads but accepts some ambiguous framing: here it
 * gets only repaired heads.
 */
export function strictSocket(socket: Socket): Socket {
  // runs before undici's listener, which checks the code
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') error.code = RESET
  })
  repairHeads(socket)
  return socket
}

/** The error code of a reset, which undici does not handle. */
export const RESET = 'STORAGE_RESET'

function repairHeads(socket: Socket): void {
  const { read, write } = socket
  // a head is expected only after a request was written
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
