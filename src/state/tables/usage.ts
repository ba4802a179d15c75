import { type Driver, sql, sqlOne } from '../sql.js'
import type { UsageStore } from '../store.js'

const ADD = sqlOne(
  `INSERT INTO usage_windows (id, started, used) VALUES (:id, :now, :amount)
   ON CONFLICT (id) DO UPDATE SET
     used = CASE WHEN usage_windows.started <= :expired THEN excluded.used ELSE usage_windows.used + excluded.used END,
     started = CASE WHEN usage_windows.started <= :expired THEN excluded.started ELSE usage_windows.started END
   RETURNING used, started`,
)
const USED = sqlOne('SELECT used, started FROM usage_windows WHERE id = :id AND started > :expired')
const PURGE = sql('DELETE FROM usage_windows WHERE started <= :expired')

/** Additions after which windows that are over are removed. */
const PURGE_EVERY = 1000

export function usageStore(db: Driver): UsageStore {
  let additions = 0
  return {
    async add(id, amount, window, now) {
      const expired = now - window
      additions += 1
      if (additions % PURGE_EVERY === 0) await db.query(PURGE({ expired }))
      const { rows } = await db.query(ADD({ id, amount, now, expired }))
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
