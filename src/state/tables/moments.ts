import { type Driver, sqlOne } from '../sql.js'
import type { MomentStore } from '../store.js'

const AT = sqlOne('SELECT at FROM moments WHERE name = :moment')

export function momentStore(db: Driver): MomentStore {
  return { of: async (moment) => (await db.query(AT({ moment }))).rows[0]?.at as number }
}
