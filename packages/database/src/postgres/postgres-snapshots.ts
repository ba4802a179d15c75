import { hash } from 'node:crypto'
import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { PoolClient, QueryResult } from 'pg'
import { type Ask, type Snapshots, SnapshotTimeout } from '../snapshots.js'
import { numbered, type Query, type Result } from '../sql.js'

type Guard = <T>(work: () => Promise<T>) => Promise<T>

interface PostgresSnapshotOptions {
  connect(): Promise<PoolClient>
  /** Ends the running statement of a connection. */
  cancel(client: PoolClient): void
  /** Connections of the pool. Snapshots use at most half, so that orders and nonces always find one. */
  connections: number
  /** Milliseconds for a statement of the pool. A snapshot has less, so that the server itself aborts it. */
  timeout: number
  /** Classifies errors of the database. */
  guarded: Guard
}

/** Milliseconds by which the remaining time may differ from the server's timeout. */
const STEP = 500

/** A read-only transaction with a deadline, as performance.now(). */
interface Reading {
  client: PoolClient
  end: number
  /** Timeout on the server, in milliseconds; undefined before the transaction. */
  serverTimeout?: number
}

/** Snapshots of PostgreSQL. Each is a read-only transaction. */
export class PostgresSnapshots implements Snapshots {
  readonly places: number
  readonly longest: number

  constructor(private readonly options: PostgresSnapshotOptions) {
    this.places = Math.max(1, Math.floor(options.connections / 2))
    this.longest = options.timeout / 2
  }

  async read<T>(end: number, work: (ask: Ask) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const client = await this.options.guarded(() => this.options.connect())
    const cancel = () => this.options.cancel(client)
    signal?.addEventListener('abort', cancel)
    try {
      const reading: Reading = { client, end }
      const found = await work((query) => {
        if (signal?.aborted) throw new SnapshotTimeout()
        return this.ask(reading, query)
      })
      // all rows are read: no wait for the end
      const ended = client.query('COMMIT')
      // a late cancellation must not meet the statement of another user
      ended.then(
        () => client.release(signal?.aborted),
        () => client.release(true),
      )
      return found
    } catch (error) {
      client.release(true)
      throw error
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  /** Runs a statement. The server aborts it after the remaining time, which is no fault of the database. */
  private async ask(reading: Reading, query: Query): Promise<Result> {
    const now = left(reading.end)
    const ran = await this.options.guarded(async () => {
      try {
        return await answerTo(reading, query, now)
      } catch (error) {
        if ((error as { code?: string }).code === '57014') return undefined
        throw error
      }
    })
    if (!ran) throw new SnapshotTimeout()
    return { rows: ran.rows as Result['rows'], changes: 0 }
  }
}

/** Runs a statement, the first one together with the beginning of the transaction. `now`: remaining milliseconds. */
async function answerTo(reading: Reading, query: Query, now: number): Promise<QueryResult> {
  const { client, serverTimeout } = reading
  if (serverTimeout === undefined) {
    reading.serverTimeout = now
    const [begun, ran] = pipelined(client, () => [client.query(begin(now)), sent(client, query)] as const)
    ran.catch(() => undefined) // fails as well if the transaction does not begin
    await begun
    return ran
  }
  if (serverTimeout - now > STEP) {
    await client.query(`SET LOCAL statement_timeout = ${now}`)
    reading.serverTimeout = now
  }
  return sent(client, query)
}

/** Sends a statement with a plan for its values (`begin`). */
function sent(client: PoolClient, { text, values, isFixed }: Query): Promise<QueryResult> {
  if (isFixed) return client.query({ text: numbered(text), values, name: nameOf(text) })
  const [, ran] = pipelined(client, () => {
    const set = client.query('SET LOCAL plan_cache_mode = auto')
    set.catch(() => undefined) // the statement fails as well
    return [set, client.query({ text: numbered(text), values })] as const
  })
  return ran
}

/** Sends several statements in one write: each write wakes a process of the server. */
function pipelined<T>(client: PoolClient, send: () => T): T {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

/** Returns the name of a statement whose plan the server keeps. */
export function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `tidegate_${hash('sha256', text, 'hex').slice(0, 32)}`
    names.set(text, name)
  }
  return name
}

/** Names by text: a memo of a pure function. */
const names = new LRUCache<string, string>({ max: 100 })

/** Returns the remaining milliseconds. Throws if there are none. */
function left(end: number): number {
  const milliseconds = Math.ceil(end - performance.now())
  if (milliseconds <= 0) throw new SnapshotTimeout()
  return milliseconds
}

/**
 * Returns SQL that begins a read-only transaction. No parallel workers: concurrent searches use all processes, and
 * workers need shared memory, which is scarce in containers. No JIT: compiling takes longer than running. The planner
 * underestimates document tokens, which are compressed outside of their rows. Kept statements get one plan for all
 * values at once: PostgreSQL would plan the first five runs of each connection.
 */
function begin(timeout: number): string {
  return [
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    'SET LOCAL max_parallel_workers_per_gather = 0',
    'SET LOCAL jit = off',
    'SET LOCAL enable_seqscan = off',
    'SET LOCAL plan_cache_mode = force_generic_plan',
    `SET LOCAL statement_timeout = ${timeout}`,
  ].join('; ')
}
