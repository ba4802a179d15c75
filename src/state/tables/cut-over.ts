import { type Driver, sql, sqlOne } from '../sql.js'
import type { CutOverStore } from '../store.js'

const AT = sqlOne('SELECT at FROM cut_over')
const RAISE = sql(
  `INSERT INTO cut_over (id, at) VALUES (1, :at)
   ON CONFLICT (id) DO UPDATE SET at = excluded.at WHERE excluded.at > cut_over.at`,
)

export function cutOverStore(db: Driver): CutOverStore {
  return {
    get: async () => (await db.query(AT())).rows[0]?.at as number | undefined,
    async raise(at) {
      await db.query(RAISE({ at }))
    },
  }
}
