import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { atEnd } from './cleanup.js'

/** A TCP server that handles each connection as a test wants, and tracks which are open. */
export class HostileServer {
  /** Connections accepted so far, and those that are open. */
  accepted = 0
  readonly open = new Set<Socket>()
  /** Bytes written that the operating system has accepted. */
  written = 0

  /** Ends it; at the latest after the last test of the file. */
  readonly close = atEnd(async () => {
    for (const socket of this.open) socket.destroy()
    this.server.close()
    await once(this.server, 'close')
  })

  private constructor(private readonly server: Server) {}

  static async start(handle: (socket: Socket) => void): Promise<HostileServer> {
    const server = createServer()
    const hostile = new HostileServer(server)
    server.on('connection', (socket) => {
      hostile.accepted += 1
      hostile.open.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => hostile.open.delete(socket))
      handle(socket)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return hostile
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }
}

/** Writes a piece repeatedly, as fast as back-pressure allows, until `total` bytes are sent or the socket is closed. */
export async function flood(socket: Socket, piece: Buffer | string, total = Number.POSITIVE_INFINITY): Promise<number> {
  let sent = 0
  while (sent < total && !socket.destroyed) {
    sent += piece.length
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined)
  }
  return sent
}

/** Writes bytes one by one with a pause in milliseconds before each, as long as the socket is open. */
export function drip(socket: Socket, pause: number, bytes: Buffer | string): void {
  let at = 0
  const timer = setInterval(() => {
    if (socket.destroyed) return clearInterval(timer)
    socket.write(Buffer.from(bytes).subarray(at % bytes.length, (at % bytes.length) + 1))
    at += 1
  }, pause)
  socket.once('close', () => clearInterval(timer))
}
