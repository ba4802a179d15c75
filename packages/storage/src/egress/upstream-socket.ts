import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { ResponseHeads } from './responses/response-heads.js'

/**
 * Works around two properties of undici. It takes a reset for the end of a response without length and chunks, so that half a
 * file looks complete: here a reset is an error. And it accepts some ambiguous framing, and any number of interim heads: here it gets
 * only checked ones.
 */
export function strictSocket(socket: Socket): Socket {
  // runs before undici's listener, which checks the code
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') error.code = RESET
  })
  checkHeads(socket)
  return socket
}

/** The error code of a reset, which undici does not handle. */
export const RESET = 'STORAGE_RESET'

function checkHeads(socket: Socket): void {
  const { write, _read } = socket
  // a head is expected only after a request was written
  const heads = new ResponseHeads()
  socket.write = function expectResponse(...args: unknown[]) {
    heads.expect()
    return write.apply(socket, args as never)
  } as typeof write
  // the stream would read ahead with each chunk that it returns. Here it reads when undici finds it empty, so that the
  // bytes of a paused file stay in the kernel
  let wanted = false
  socket._read = () => {
    wanted = true
  }
  socket.read = function strict(size?: number): Buffer | null {
    const chunk = Duplex.prototype.read.call(socket, size) as Buffer | null
    if (chunk === null) {
      if (wanted) _read.call(socket, 0)
      wanted = false
      return chunk
    }
    try {
      // an incomplete head: reads on
      return heads.take(chunk) ?? strict()
    } catch (error) {
      socket.destroy(error as Error)
      return null
    }
  }
}
