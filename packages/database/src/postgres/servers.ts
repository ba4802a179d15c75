import pg from 'pg'
import { DATABASE_LIMITS } from '../limits.js'
import { connectionUrl, hostUrls } from './hosts.js'
import { assertOwnSession } from './pooler.js'
import { beginSession, type SessionOptions } from './session.js'
import { timelineOf } from './timeline.js'

/** Parses BIGINT as number: all values are below 2^53. */
export const TYPES = {
  getTypeParser: (id: number) => (id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id)),
}

export interface ServersOptions extends SessionOptions {
  /** May name several hosts, separated by commas. */
  url: string
  /** Milliseconds for a connection. */
  connectTimeout: number
  /** Rejects if a connected server cannot be used. Default: if it is no primary. */
  verify?: (client: pg.ClientBase) => Promise<unknown>
}

/**
 * The servers of a URL, of which one is the primary. A new connection goes to the server of the last one. If it fails,
 * the next connection goes to the next server.
 */
export class Servers {
  private readonly urls: string[]
  private preferred = 0
  /** Servers whose sessions belong to one client. */
  private readonly checked = new Set<string>()

  constructor(private readonly options: ServersOptions) {
    this.urls = hostUrls(options.url).map(connectionUrl)
  }

  /** Creates a pool. `rejected` must be called with each error of its `connect`. */
  pool(connections: number, lifetime: number): pg.Pool {
    const config = () => this.config()
    class Client extends pg.Client {
      constructor() {
        super(config())
      }
    }
    return new pg.Pool({
      connectionTimeoutMillis: this.options.connectTimeout,
      max: connections,
      maxLifetimeSeconds: lifetime / 1000,
      Client: Client as never,
      onConnect: async (client) => {
        // the pool handles errors of idle connections only
        client.on('error', () => undefined)
        await this.prepare(client)
      },
    })
  }

  /** Connects to the primary. Tries each server once. `queryTimeout`: milliseconds for each statement. */
  async connect(queryTimeout?: number): Promise<pg.Client> {
    for (let tries = 1; ; tries++) {
      let client: pg.Client | undefined
      try {
        client = await opened(this.config(queryTimeout))
        await this.prepare(client)
        return client
      } catch (error) {
        void client?.end().catch(() => undefined)
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

  /** Prepares a new connection for all statements. Rejects if its server cannot be used. */
  private async prepare(client: pg.ClientBase): Promise<void> {
    const { host, port } = client as pg.Client
    const server = `${host}:${port}`
    if (!this.checked.has(server)) {
      const config = this.config(DATABASE_LIMITS.connections.poolerTimeout)
      await assertOwnSession(client, () => opened(config))
      this.checked.add(server)
    }
    await beginSession(client, this.options)
    await (this.options.verify ?? timelineOf)(client)
  }

  private config(queryTimeout = this.options.timeout): pg.ClientConfig {
    return {
      connectionString: this.urls[this.preferred] as string,
      connectionTimeoutMillis: this.options.connectTimeout,
      query_timeout: queryTimeout,
      application_name: this.options.name,
      keepAlive: true,
      keepAliveInitialDelayMillis: DATABASE_LIMITS.connections.keepAlive,
      // a search sends its second statement with the first
      pipeline: true,
      types: TYPES as pg.CustomTypesConfig,
    }
  }
}

/** Opens a connection. If it breaks, its statements reject. */
async function opened(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config)
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    void client.end().catch(() => undefined)
    throw error
  }
}
