import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { fields, message } from '../helpers/fake-postgres.js'

/** The two ends of a connection through the proxy. */
interface Pair {
  client: Socket
  server: Socket
}

const FATAL = message('E', fields('SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command'))
/** ReadyForQuery outside a transaction: the end of an answer, and of the start of a session. */
const READY = message('Z', 'I')

/** A TCP proxy in front of a PostgreSQL that injects the faults of networks and servers. */
export class PostgresProxy {
  /** While set, connections are accepted but nothing is forwarded, not even the end of a connection. */
  frozen = false
  /** How many more sessions to terminate: one ReadyForQuery in three is followed by FATAL in the same packet. */
  cuts = 0
  /** How many sessions were terminated this way. */
  cut = 0
  private readonly pairs = new Set<Pair>()
  private readonly frozenPairs = new Set<Pair>()

  private constructor(
    private readonly server: Server,
    /** The port of the server that new connections reach. */
    public port: number,
  ) {
    server.on('connection', (client) => this.carry(client))
  }

  static async before(port: number): Promise<PostgresProxy> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new PostgresProxy(server, port)
  }

  /** A URL of the server, through this proxy. */
  url(of: string): string {
    const url = new URL(of)
    url.port = `${(this.server.address() as AddressInfo).port}`
    return url.href
  }

  /** Freezes the open connections only. Returns how many. */
  freezeOpen(): number {
    for (const pair of this.pairs) this.frozenPairs.add(pair)
    return this.frozenPairs.size
  }

  /** Forwards everything again, and closes the frozen connections. */
  thaw(): void {
    this.frozen = false
    for (const pair of this.frozenPairs) this.end(pair)
  }

  /** Closes all connections. */
  cutAll(): void {
    for (const pair of this.pairs) this.end(pair)
  }

  close(): void {
    this.server.close()
    this.cutAll()
  }

  private carry(client: Socket): void {
    const pair = { client, server: connect(this.port, '127.0.0.1') }
    this.pairs.add(pair)
    if (this.frozen) this.frozenPairs.add(pair)
    this.pass(pair, pair.client, pair.server)
    this.pass(pair, pair.server, pair.client)
  }

  private pass(pair: Pair, from: Socket, to: Socket): void {
    const stuck = () => {
      if (this.frozen) this.frozenPairs.add(pair)
      return this.frozenPairs.has(pair)
    }
    from.on('error', () => undefined)
    from.on('data', (chunk) => {
      if (stuck()) return
      if (
        from !== pair.server ||
        this.cuts === 0 ||
        Math.random() > 1 / 3 ||
        !chunk.subarray(-READY.length).equals(READY)
      )
        return void to.write(chunk)
      this.cuts -= 1
      this.cut += 1
      to.write(Buffer.concat([chunk, FATAL]))
      this.end(pair)
    })
    from.on('close', () => {
      if (!stuck()) this.end(pair)
    })
  }

  private end(pair: Pair): void {
    this.pairs.delete(pair)
    this.frozenPairs.delete(pair)
    pair.client.end()
    pair.server.destroy()
  }
}
