import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'

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
      const back = connect(target, '127.0.0.1')
      this.open += 1
      client.once('close', () => {
        this.open -= 1
        back.destroy()
      })
      back.once('close', () => client.destroy())
      for (const socket of [client, back]) socket.on('error', () => undefined)
      back.on('data', ({ length }) => {
        this.bytes += length
      })
      client.pipe(back).pipe(client)
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
