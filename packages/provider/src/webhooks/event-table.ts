import { type Driver, run, type Script, sql, sqlOne } from '@tidegate/database'
import { PROVIDER_LIMITS } from '../limits.js'
import type { WebhookEvent } from './event.js'

/** A queued event. */
export interface QueuedEvent {
  id: string
  /** JSON. */
  body: string
  /** Attempts, including the current one. */
  attempts: number
}

/** The queue of events. Times are in milliseconds since 1970. */
export interface EventStore {
  /** Adds events that are not queued. Returns the number of the oldest ones that were deleted, since more than `most` wait. */
  add(events: readonly WebhookEvent[], now: number, most?: number): Promise<number>
  /** Claims due events until `until`. No other worker gets them meanwhile. */
  claim(now: number, until: number, limit: number): Promise<QueuedEvent[]>
  done(id: string): Promise<void>
  /** Schedules the next attempt. */
  retry(id: string, at: number): Promise<void>
  /** Deletes the events that were added before a time. Returns their number. */
  expire(before: number): Promise<number>
  /** Number of queued events. */
  count(): Promise<number>
}

const ADD = sql(
  `INSERT INTO webhook_events (id, body, created_at, due_at, attempts) VALUES (:id, :body, :now, :now, 0)
   ON CONFLICT (id) DO NOTHING`,
)
const TRIM = sql(
  `DELETE FROM webhook_events WHERE id IN (
     SELECT id FROM webhook_events ORDER BY created_at DESC, id DESC LIMIT 1000000 OFFSET :most)`,
)
// checks due_at again for each row: another instance may have claimed it meanwhile
const CLAIM = sql(
  `UPDATE webhook_events SET due_at = :until, attempts = attempts + 1
   WHERE id IN (SELECT id FROM webhook_events WHERE due_at <= :now ORDER BY due_at LIMIT :limit) AND due_at <= :now
   RETURNING id, body, attempts`,
)
const DONE = sql('DELETE FROM webhook_events WHERE id = :id')
const RETRY = sql('UPDATE webhook_events SET due_at = :at WHERE id = :id')
const EXPIRE = sql('DELETE FROM webhook_events WHERE created_at < :before')
const COUNT = sqlOne('SELECT count(*) AS n FROM webhook_events')

/** Adds events in a transaction. Returns the number of the oldest ones that were deleted. */
export function* addEvents(
  events: readonly WebhookEvent[],
  now: number,
  most: number = PROVIDER_LIMITS.webhooks.waiting,
): Script<number> {
  for (const event of events) yield* run(ADD({ id: event.id, body: JSON.stringify(event), now }))
  return (yield* run(TRIM({ most }))).changes
}

/** Creates the store of the queue of events. */
export function eventStore(db: Driver): EventStore {
  return {
    add: (events, now, most) => db.transact(addEvents(events, now, most)),
    claim: async (now, until, limit) => (await db.query(CLAIM({ now, until, limit }))).rows as unknown as QueuedEvent[],
    done: async (id) => void (await db.query(DONE({ id }))),
    retry: async (id, at) => void (await db.query(RETRY({ id, at }))),
    expire: async (before) => (await db.query(EXPIRE({ before }))).changes,
    count: async () => (await db.query(COUNT())).rows[0]?.n as number,
  }
}
