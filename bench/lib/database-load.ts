import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openPostgresStore } from '../../packages/provider/src/state/postgres.js'
import { cpuSeconds } from '../../test/helpers/measures.js'
import type { PostgresBackend } from '../../test/helpers/postgres-server.js'
import { median } from './report.js'

/** What a PostgreSQL has done so far. */
export interface DatabaseCounts {
  /** Transactions, of which each statement by itself is one. */
  statements: number
  /** Transactions that wrote. */
  commits: number
  /** Syncs of its log. */
  syncs: number
  cpu: number
}

/** Milliseconds after which a session counts for the statistics what it did, with its next statement. */
const COUNTED_AFTER = 1100

/** Reads what a PostgreSQL has done. */
export class DatabaseCounter {
  private constructor(
    private readonly postgres: PostgresBackend,
    private readonly client: pg.Client,
  ) {}

  static async connect(postgres: PostgresBackend): Promise<DatabaseCounter> {
    const client = new pg.Client(postgres.url())
    await client.connect()
    return new DatabaseCounter(postgres, client)
  }

  /** CPU seconds of all of its processes. */
  cpu(): number {
    return this.postgres.pids().reduce((sum, pid) => sum + cpuOf(pid), 0)
  }

  /** `wake` makes each session run a statement, where any has run some since the last time. */
  async counts(wake?: () => Promise<unknown>): Promise<DatabaseCounts> {
    const cpu = this.cpu()
    if (wake) {
      await sleep(COUNTED_AFTER)
      await wake()
    }
    const { rows } = await this.client.query(
      `SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())::float8 AS statements,
         pg_current_xact_id()::text::float8 AS commits,
         (SELECT coalesce(sum(fsyncs), 0) FROM pg_stat_io WHERE object = 'wal')::float8 AS syncs`,
    )
    return { ...(rows[0] as Omit<DatabaseCounts, 'cpu'>), cpu }
  }

  /** The time of the database. */
  async now(): Promise<Date> {
    return (await this.client.query('SELECT clock_timestamp() AS now')).rows[0].now as Date
  }

  /** Sessions of the service that ran a statement since then. */
  async connectionsSince(time: Date): Promise<number> {
    const { rows } = await this.client.query(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'tidegate' AND query_start >= $1",
      [time],
    )
    return rows[0].count as number
  }

  close(): Promise<void> {
    return this.client.end()
  }
}

/** 0 where the process has ended meanwhile. */
function cpuOf(pid: number): number {
  try {
    return cpuSeconds(pid)
  } catch {
    return 0
  }
}

/** What a PostgreSQL does by itself, with so many clients of one process. */
export interface DatabaseLimit {
  what: string
  clients: number
  rate: number
  /** Milliseconds of one statement, the median. */
  latency: number
  /** CPU microseconds of the database for one. */
  cpu: number
  /** Commits that share a sync of the log; 0 if nothing is written. */
  commitsPerSync: number
}

/** Runs the statements of requests on a PostgreSQL, without the service. */
export async function databaseLimits(postgres: PostgresBackend, smoke: boolean): Promise<DatabaseLimit[]> {
  const counter = await DatabaseCounter.connect(postgres)
  const limits: DatabaseLimit[] = []
  for (const clients of smoke ? [2] : [1, 8, 32, 64]) {
    const store = await openPostgresStore({ url: postgres.url(), connections: clients, timeout: 60_000 })
    let last = Date.now() * 1000
    const addressOf = (at: number) => `0x${String(at).padStart(40, '0')}` as const
    const operations: [string, (client: number) => Promise<unknown>][] = [
      ['look a token up', (client) => store.revocations.isRevoked(`token ${client}`)],
      ['consume a nonce', (client) => store.nonces.consume(addressOf(client), String(++last).padStart(40, '0'))],
    ]
    for (const [what, run] of operations) {
      const each = Math.ceil((smoke ? 40 : clients === 1 ? 4000 : 20_000) / clients)
      const wake = () =>
        Promise.all(Array.from({ length: 2 * clients }, (_, at) => store.revocations.isRevoked(`${at}`)))
      await Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
      const before = await counter.counts(wake)
      const cpu = counter.cpu()
      const latencies: number[] = []
      const begun = performance.now()
      await Promise.all(
        Array.from({ length: clients }, async (_, client) => {
          for (let done = 0; done < each; done++) {
            const sent = performance.now()
            await run(client)
            latencies.push(performance.now() - sent)
          }
        }),
      )
      const seconds = (performance.now() - begun) / 1000
      const after = await counter.counts(wake)
      const amount = each * clients
      const commits = after.commits - before.commits
      limits.push({
        what,
        clients,
        rate: amount / seconds,
        latency: median(latencies),
        cpu: (1e6 * (after.cpu - cpu)) / amount,
        commitsPerSync: commits < amount / 2 ? 0 : commits / Math.max(1, after.syncs - before.syncs),
      })
      process.stdout.write('.')
    }
    await store.close()
  }
  await counter.close()
  return limits
}
