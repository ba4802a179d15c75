import { randomUUID } from 'node:crypto'
import type { Logger } from '@tidegate/common'
import type pg from 'pg'
import { LOCK_SPACE } from './constants.js'
import { DATABASE_LIMITS } from './limits.js'
import type { Servers } from './postgres/servers.js'
import { InUseError } from './sqlite/sqlite-file.js'

/** Second number of the lock of users: shared, or exclusive. */
const USE_LOCK = 2

const NOW = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)'
/** SQL: whether another instance holds a lease. A lease ends with its session, or when it expires. */
const held = (lease: string) => `${lease}.holder <> $2 AND ${lease}.ends BETWEEN ${NOW} AND ${NOW} + $3::BIGINT
  AND EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = ${lease}.session)`
// checks the lease of another instance first, without locking its row
const LEASE = `
  INSERT INTO leases AS own (task, holder, session, ends)
  SELECT $1, $2, pg_backend_pid(), ${NOW} + $3::BIGINT
  WHERE NOT EXISTS (SELECT 1 FROM leases AS other WHERE other.task = $1 AND ${held('other')})
  ON CONFLICT (task) DO UPDATE SET holder = excluded.holder, session = excluded.session, ends = excluded.ends
  WHERE NOT (${held('own')})
  RETURNING task`

export interface LeadershipOptions {
  servers: Servers
  /** Milliseconds for a statement, at most. */
  timeout: number
  /** Uses the database exclusively. */
  exclusive: boolean
  log: Logger | undefined
}

/**
 * The session that marks a database as in use, and the leases of the tasks that this instance leads. The server would
 * hold session locks of a frozen connection indefinitely, so leases expire. Two leaders for a moment do no harm: both
 * must change a common row.
 */
export class Leadership {
  private readonly holder = randomUUID()
  private session: Promise<pg.Client> | undefined
  /** Last renewal of each lease, as of the start of the request. */
  private readonly leases = new Map<string, number>()
  private readonly renewing: NodeJS.Timeout
  /** Settles after the last statement: one runs at a time. */
  private last: Promise<unknown> = Promise.resolve()
  private closed = false

  constructor(private readonly options: LeadershipOptions) {
    this.renewing = setInterval(() => void this.renew(), DATABASE_LIMITS.lease.renewInterval).unref()
  }

  /** Marks the database as in use. The lock ends with its connection, and is taken again on reconnection. */
  async takeIntoUse(): Promise<void> {
    await this.connected()
  }

  /** Acquires or renews the lease of a task. Returns whether this instance leads. */
  async lead(task: string): Promise<boolean> {
    const renewed = this.leases.get(task)
    if (renewed !== undefined && performance.now() - renewed < DATABASE_LIMITS.lease.duration / 2) return true
    return this.requestLease(task)
  }

  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.renewing)
    this.leases.clear()
    const session = this.session
    this.session = undefined
    await session?.then((client) => client.end()).catch(() => undefined)
  }

  private async renew(): Promise<void> {
    for (const task of this.leases.keys()) await this.requestLease(task).catch(() => undefined) // retried on demand
  }

  private requestLease(task: string): Promise<boolean> {
    const result = this.last.then(async () => {
      const requested = performance.now()
      const { rowCount } = await this.query(LEASE, [task, this.holder, DATABASE_LIMITS.lease.duration])
      const leads = rowCount === 1
      if (leads && !this.leases.has(task)) this.options.log?.info({ task }, 'this instance leads')
      if (leads) this.leases.set(task, requested)
      else this.leases.delete(task)
      return leads
    })
    this.last = result.catch(() => undefined)
    return result
  }

  private async query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const client = await this.connected()
    try {
      return await client.query(text, values)
    } catch (error) {
      // the connection may never respond again
      this.session = undefined
      this.leases.clear()
      void client.end().catch(() => undefined)
      throw error
    }
  }

  /** Returns the shared connection. Reconnects after a loss. */
  private connected(): Promise<pg.Client> {
    if (this.closed) return Promise.reject(new Error('The connection is closed.'))
    this.session ??= this.connect().catch((error) => {
      this.session = undefined
      throw error
    })
    return this.session
  }

  private async connect(): Promise<pg.Client> {
    const { servers, exclusive, timeout } = this.options
    const client = await servers.connect(Math.min(timeout, DATABASE_LIMITS.lease.statementTimeout))
    let lost = false
    const onLost = () => {
      lost = true
      // a lease ends with its session
      this.leases.clear()
      void this.session?.then(
        (current) => {
          if (current === client) this.session = undefined
        },
        () => undefined,
      )
    }
    client.on('error', onLost).on('end', onLost)
    try {
      const lock = exclusive ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared'
      const { rows } = await client.query(`SELECT ${lock}($1, $2) AS got`, [LOCK_SPACE, USE_LOCK])
      if (!rows[0]?.got) throw new InUseError(exclusive)
      if (lost) throw new Error('Connection terminated')
      return client
    } catch (error) {
      void client.end().catch(() => undefined)
      throw error
    }
  }
}
