import type { Logger } from '@tidegate/common'
import type pg from 'pg'
import { DATABASE_LIMITS } from '../limits.js'
import { numbered, type Query } from '../sql.js'

/** SQL: the name of the present log file, whose first 8 digits are the timeline; null on a standby. */
const LOG_FILE = `
  SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_insert_lsn()) END AS name`

/** SQLSTATEs of servers that do not reveal their timeline: unsupported, denied, unknown function. */
const NOT_REVEALED = ['0A000', '42501', '42883']

/**
 * The timeline of the primary. PostgreSQL begins a new one when it promotes a standby, which may lack the last writes
 * of the former primary. The database records the last timeline that was used. The first connection to a new timeline
 * runs `Schema.afterPromotion`, and each instance repeats its own recent writes.
 */
export class Timeline {
  /** Undefined until the first record, and if the server does not reveal it. */
  current: number | undefined
  private readonly timelines = new WeakMap<pg.ClientBase, number>()
  private readonly recent: Query[] = []
  /** Settles after the last change. */
  private last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly afterPromotion: () => Query[],
    private readonly log: Logger | undefined,
  ) {}

  /** Records the timeline of a server in the transaction of its migrations. */
  async begin(client: pg.ClientBase): Promise<void> {
    const timeline = await timelineOf(client)
    if (timeline === undefined) return
    const recorded = await recordedTimeline(client)
    await record(client, timeline)
    if (recorded !== undefined && recorded !== timeline) await this.acceptPromotion(client, recorded, timeline)
    this.current = timeline
  }

  /** Rejects if the server of a new connection is a standby, or a former primary. */
  async verify(client: pg.ClientBase): Promise<void> {
    const timeline = await timelineOf(client)
    if (timeline === undefined) return
    this.timelines.set(client, timeline)
    if (this.current === undefined || this.current === timeline) return
    const changed = this.last.then(() => this.change(client, timeline))
    this.last = changed.catch(() => undefined)
    await changed
  }

  /** Whether a connection is to a former primary. */
  isOver(client: pg.ClientBase): boolean {
    const timeline = this.timelines.get(client)
    return timeline !== undefined && timeline !== this.current && this.current !== undefined
  }

  /** Keeps a write in memory. */
  remember(query: Query): void {
    const { recentWrites: max } = DATABASE_LIMITS.promotion
    if (this.recent.push(query) >= 2 * max) this.recent.splice(0, max)
  }

  private async change(client: pg.ClientBase, timeline: number): Promise<void> {
    const { current = timeline } = this
    if (current === timeline) return
    await client.query('BEGIN')
    const recorded = (await recordedTimeline(client)) ?? 0
    // it has not seen the present timeline, and does not follow it
    if (timeline <= current && recorded < current) throw notPrimary('STATE_OUTDATED')
    if (recorded !== timeline) {
      await record(client, timeline)
      await this.acceptPromotion(client, recorded, timeline)
    }
    const repeated = this.recent.map(({ text, values }) => client.query(numbered(text), values))
    await Promise.all(repeated)
    await client.query('COMMIT')
    this.current = timeline
    this.log?.warn({ timeline, repeated: repeated.length }, 'database was promoted, recent writes are repeated')
  }

  private async acceptPromotion(client: pg.ClientBase, from: number, to: number): Promise<void> {
    this.log?.warn({ from, to }, 'database was promoted, its last writes may be lost')
    for (const { text, values } of this.afterPromotion()) await client.query(numbered(text), values)
  }
}

/** Returns the timeline that the database was last used on, and locks it; undefined if none is recorded. */
async function recordedTimeline(client: pg.ClientBase): Promise<number | undefined> {
  const { rows } = await client.query('SELECT number FROM timeline FOR UPDATE')
  return rows[0] && Number(rows[0].number)
}

async function record(client: pg.ClientBase, timeline: number): Promise<void> {
  const { rowCount } = await client.query('UPDATE timeline SET number = $1', [timeline])
  if (rowCount === 0) await client.query('INSERT INTO timeline (number) VALUES ($1)', [timeline])
}

/** Returns the timeline of a primary; undefined if it does not reveal it. Rejects if the server is a standby. */
export async function timelineOf(client: pg.ClientBase): Promise<number | undefined> {
  try {
    const { rows } = await client.query(LOG_FILE)
    if (rows[0]?.name) return Number.parseInt(rows[0].name.slice(0, 8), 16)
  } catch (error) {
    if (NOT_REVEALED.includes((error as { code: string }).code)) return undefined
    throw error
  }
  throw notPrimary('STANDBY')
}

function notPrimary(code: string): Error {
  return Object.assign(new Error('The server is no primary.'), { code })
}
