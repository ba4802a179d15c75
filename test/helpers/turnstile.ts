import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net'

/** A TCP proxy in front of a back end that counts connections and bytes. */
export class Turnstile {
  /** Open connections, and bytes that the back end has sent so far. */
  open = 0
  bytes = 0

  private constructor(
    private readonly server: Server,
    target: number,
  ) {
    server.on('connection', (client) => {
      const back: Socket = connect({
        ...{ port: target, host: '127.0.0.1' },
        // one buffer for all: a new one for each 64 KiB of large files costs most of the test process's time, as garbage
        onread: {
          buffer: Buffer.allocUnsafe(65_536),
          callback: (length, buffer) => {
            this.bytes += length
            client.write(buffer.subarray(0, length), () => back.resume())
            return false
          },
        },
      } satisfies NetConnectOpts)
      this.open += 1
      client.once('close', () => {
        this.open -= 1
        back.destroy()
      })
      back.once('close', () => client.destroy())
      for (const socket of [client, back]) socket.on('error', () => undefined)
      back.once('end', () => client.end())
      client.pipe(back)
    })
  }

  static async before(port: number): Promise<Turnstile> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Turnstile(server, port)
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  close(): void {
    this.server.close()
  }
}
