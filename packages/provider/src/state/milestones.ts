import { type Driver, sql, sqlOne } from '@tidegate/database'

/** An upgrade of the database from which a new rule applies. */
export type Milestone = 'quotes end'

/** The times of milestones, recorded when the database was created or migrated. */
export interface MilestoneStore {
  /** Returns the time of a milestone in seconds since 1970. */
  get(moment: Milestone): Promise<number>
  /** Records a name with a time, unless it is there. */
  recordFirst(name: string, at: number): Promise<void>
  /** The same, where a later time replaces the one that is there. */
  recordLast(name: string, at: number): Promise<void>
  /** Returns what was recorded with names of this beginning, which is cut off. */
  recorded(beginning: string): Promise<{ name: string; at: number }[]>
}

const AT = sqlOne('SELECT at FROM moments WHERE name = :moment')
const FIRST = sql('INSERT INTO moments (name, at) VALUES (:name, :at) ON CONFLICT (name) DO NOTHING')
const LAST = sql('INSERT INTO moments (name, at) VALUES (:name, :at) ON CONFLICT (name) DO UPDATE SET at = excluded.at')
const ALL = sql('SELECT name, at FROM moments ORDER BY name')

/** Creates the store of milestones. */
export function milestoneStore(db: Driver): MilestoneStore {
  return {
    get: async (moment) => (await db.query(AT({ moment }))).rows[0]?.at as number,
    recordFirst: async (name, at) => void (await db.query(FIRST({ name, at }))),
    recordLast: async (name, at) => void (await db.query(LAST({ name, at }))),
    async recorded(beginning) {
      const rows = (await db.query(ALL())).rows as { name: string; at: number }[]
      return rows.flatMap(({ name, at }) =>
        name.startsWith(beginning) ? [{ name: name.slice(beginning.length), at }] : [],
      )
    },
  }
}
