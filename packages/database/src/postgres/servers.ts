import pg from 'pg'
import { hostUrls } from './hosts.js'
import { timelineOf } from './timeline.js'

/**
 * The servers of a URL, of which one is the primary. A new connection goes to the server of the last one. If it fails,
 * the next connection goes to the next server.
 */
export class Servers {
  private readonly urls: string[]
  private preferred = 0

  constructor(
    url: string,
    /** Settings of every connection. */
    private readonly settings: pg.ClientConfig,
    /** Rejects if a connected server cannot be used. */
    private readonly verify: (client: pg.ClientBase) => Promise<unknown> = timelineOf,
  ) {
    this.urls = hostUrls(url)
  }

  /** Creates a pool. `rejected` must be called with each error of its `connect`. */
  pool(connections: number, lifetime: number): pg.Pool {
    const config = () => this.config()
    class Client extends pg.Client {
      constructor() {
        super(config())
      }
    }
    const { connectionTimeoutMillis } = this.settings
    return new pg.Pool({
      connectionTimeoutMillis,
      max: connections,
      maxLifetimeSeconds: lifetime / 1000,
      Client: Client as never,
      onConnect: async (client) => {
        // the pool handles errors of idle connections only
        client.on('error', () => undefined)
        await this.verify(client)
      },
    })
  }

  /** Connects to the primary. Tries each server once. */
  async connect(changed: pg.ClientConfig = {}): Promise<pg.Client> {
    for (let tries = 1; ; tries++) {
      const client = new pg.Client({ ...this.config(), ...changed })
      client.on('error', () => undefined)
      try {
        await client.connect()
        await this.verify(client)
        return client
      } catch (error) {
        void client.end().catch(() => undefined)
        this.rejected(error)
        if (tries >= this.urls.length) throw error
      }
    }
  }

  /**
   * Moves on to the next server after a failed connection. Returns false if no server failed: all connections of the pool
   * are in use.
   */
  rejected(error: unknown): boolean {
    if (/^timeout exceeded/.test((error as Error).message)) return false
    this.preferred = (this.preferred + 1) % this.urls.length
    return true
  }

  private config(): pg.ClientConfig {
    return { ...this.settings, connectionString: this.urls[this.preferred] as string }
  }
}
