import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Random } from '../lib/random.js'

/** One address before several instances, as a load balancer: each connection leads to one of them. */
export class Front {
  private readonly sockets = new Set<Socket>()

  private constructor(private readonly server: Server) {}

  /** `ports` returns those of the instances that should be up. */
  static async open(ports: () => number[], random: Random): Promise<Front> {
    const server = createServer()
    const front = new Front(server)
    server.on('connection', (client) => {
      const all = ports()
      if (all.length === 0) return void client.destroy()
      front.join(client, connect(random.one(all), '127.0.0.1'))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return front
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  close(): void {
    this.server.close()
    for (const socket of this.sockets) socket.destroy()
  }

  private join(client: Socket, instance: Socket): void {
    for (const [from, to] of [
      [client, instance],
      [instance, client],
    ] as const) {
      this.sockets.add(from)
      from.pipe(to)
      from.on('error', () => undefined)
      from.on('close', () => {
        this.sockets.delete(from)
        to.destroy()
      })
    }
  }
}
