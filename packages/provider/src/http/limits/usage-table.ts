import { type Driver, sql, sqlOne } from '@tidegate/database'

/** The usage in a window, and the milliseconds until its end. */
export interface Usage {
  used: number
  endsIn: number
}

/** Usage counters over fixed time windows. Times are in milliseconds. */
export interface UsageStore {
  /** Adds to a counter. A counter whose window has ended restarts at zero. */
  add(id: string, amount: number, window: number, now: number): Promise<Usage>
  used(id: string, window: number, now: number): Promise<Usage>
  /** Deletes the counters whose windows have ended. */
  purge(now: number): Promise<void>
}

const ADD = sqlOne(
  `INSERT INTO usage_windows (id, started, used, ends) VALUES (:id, :now, :amount, :ends)
   ON CONFLICT (id) DO UPDATE SET
     ends = CASE WHEN usage_windows.started <= :expired THEN excluded.ends ELSE usage_windows.ends END,
     used = CASE WHEN usage_windows.started <= :expired THEN excluded.used ELSE usage_windows.used + excluded.used END,
     started = CASE WHEN usage_windows.started <= :expired THEN excluded.started ELSE usage_windows.started END
   RETURNING used, started`,
)
const USED = sqlOne('SELECT used, started FROM usage_windows WHERE id = :id AND started > :expired')
// by the end, since windows of a minute and of a day are in one table
const PURGE = sql('DELETE FROM usage_windows WHERE ends <= :now')

/** Creates the store of usage counters. */
export function usageStore(db: Driver): UsageStore {
  return {
    purge: async (now) => void (await db.query(PURGE({ now }))),
    async add(id, amount, window, now) {
      const expired = now - window
      const { rows } = await db.query(ADD({ id, amount, now, expired, ends: now + window }))
      const { used, started } = rows[0] as { used: number; started: number }
      return { used, endsIn: started + window - now }
    },
    async used(id, window, now) {
      const { rows } = await db.query(USED({ id, expired: now - window }))
      const { used, started } = (rows[0] ?? { used: 0, started: now }) as { used: number; started: number }
      return { used, endsIn: started + window - now }
    },
  }
}
