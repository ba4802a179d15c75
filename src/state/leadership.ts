import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { BOUNDS } from '../bounds.js'
import type { Logger } from '../logger.js'
import { InUseError } from './sqlite-file.js'

/** The first of the two numbers that name this service's advisory locks. */
export const LOCK_SPACE = 0x71de
/** Held by everybody who uses the database, or by one alone. */
const USE_LOCK = 2

const NOW = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)'
/** Whether another instance has a lease: it ends with the session that took it, or some time after its last sign of life. */
const held = (lease: string) => `${lease}.holder <> $2 AND ${lease}.ends BETWEEN ${NOW} AND ${NOW} + $3::BIGINT
  AND EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = ${lease}.session)`
// what another instance has is only looked at at first, and not locked
const LEASE = `
  INSERT INTO leases AS own (task, holder, session, ends)
  SELECT $1, $2, pg_backend_pid(), ${NOW} + $3::BIGINT
  WHERE NOT EXISTS (SELECT 1 FROM leases AS other WHERE other.task = $1 AND ${held('other')})
  ON CONFLICT (task) DO UPDATE SET holder = excluded.holder, session = excluded.session, ends = excluded.ends
  WHERE NOT (${held('own')})
  RETURNING task`
// where the machine of this instance is gone without a word, the server finds out within half a minute
const KEEPALIVES = `
  SELECT set_config(name, value, false)
  FROM (VALUES ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '4'))
    AS wanted (name, value)
  JOIN pg_settings USING (name)`

export interface LeadershipOptions {
  connection: pg.ClientConfig
  /** Nobody else may use the database meanwhile. */
  alone: boolean
  log: Logger | undefined
}

/**
 * The session by which an instance has a database in use, and the tasks that it leads. That is by leases and not by
 * locks of the session: the server keeps those for as long as it hears nothing of a connection that is frozen. Two that
 * believe to lead for a moment do no harm: what they write is checked against the row that both change.
 */
export class Leadership {
  private readonly holder = randomUUID()
  private session: Promise<pg.Client> | undefined
  /** When each lease was last asked for with success. */
  private readonly leases = new Map<string, number>()
  private readonly renewing: NodeJS.Timeout
  /** One statement at a time. */
  private last: Promise<unknown> = Promise.resolve()
  private closed = false

  constructor(private readonly options: LeadershipOptions) {
    this.renewing = setInterval(() => void this.renew(), BOUNDS.lease.renew).unref()
  }

  /** Takes the database into use: the lock is held as long as its connection is, and taken again with the next one. */
  async takeIntoUse(): Promise<void> {
    await this.connected()
  }

  /** Whether this instance leads a task. */
  async lead(task: string): Promise<boolean> {
    const asked = this.leases.get(task)
    if (asked !== undefined && performance.now() - asked < BOUNDS.lease.lasts / 2) return true
    return this.ask(task)
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
    for (const task of this.leases.keys()) await this.ask(task).catch(() => undefined) // asked again when it is wanted
  }

  private ask(task: string): Promise<boolean> {
    const answer = this.last.then(async () => {
      const asked = performance.now()
      const { rowCount } = await this.query(LEASE, [task, this.holder, BOUNDS.lease.lasts])
      const leads = rowCount === 1
      if (leads && !this.leases.has(task)) this.options.log?.info({ task }, 'this instance leads')
      if (leads) this.leases.set(task, asked)
      else this.leases.delete(task)
      return leads
    })
    this.last = answer.catch(() => undefined)
    return answer
  }

  private async query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const client = await this.connected()
    try {
      return await client.query(text, values)
    } catch (error) {
      // nobody knows whether it will ever answer again
      this.session = undefined
      void client.end().catch(() => undefined)
      throw error
    }
  }

  /** One connection, whoever asks for it, until it is lost. */
  private connected(): Promise<pg.Client> {
    if (this.closed) return Promise.reject(new Error('The connection is closed.'))
    this.session ??= this.connect().catch((error) => {
      this.session = undefined
      throw error
    })
    return this.session
  }

  private async connect(): Promise<pg.Client> {
    const { connection, alone } = this.options
    const { query_timeout: timeout = BOUNDS.lease.statement } = connection
    const client = new pg.Client({ ...connection, query_timeout: Math.min(timeout, BOUNDS.lease.statement) })
    let lost = false
    const lose = () => {
      lost = true
      void this.session?.then(
        (current) => {
          if (current === client) this.session = undefined
        },
        () => undefined,
      )
    }
    client.on('error', lose).on('end', lose)
    try {
      await client.connect()
      await client.query(KEEPALIVES)
      const lock = alone ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared'
      const { rows } = await client.query(`SELECT ${lock}($1, $2) AS got`, [LOCK_SPACE, USE_LOCK])
      if (!rows[0]?.got) throw new InUseError(alone)
      if (lost) throw new Error('Connection terminated')
      return client
    } catch (error) {
      void client.end().catch(() => undefined)
      throw error
    }
  }
}
