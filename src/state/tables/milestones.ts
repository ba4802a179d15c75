import { type Driver, sqlOne } from '../sql.js'
import type { MilestoneStore } from '../store.js'

const AT = sqlOne('SELECT at FROM moments WHERE name = :moment')

/** Creates the store of milestones. */
export function milestoneStore(db: Driver): MilestoneStore {
  return { get: async (moment) => (await db.query(AT({ moment }))).rows[0]?.at as number }
}
