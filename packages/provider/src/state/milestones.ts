import { type Driver, sql, sqlOne } from '@tidegate/database'

/** A migration from which a new rule applies. */
export type Milestone = 'quotes end'

/** Times of milestones and of recorded names. */
export interface MilestoneStore {
  /** Returns the time of a milestone in seconds since 1970. */
  get(moment: Milestone): Promise<number>
  /** Records the time of a name, unless it is recorded. */
  recordFirst(name: string, at: number): Promise<void>
  /** Records the time of a name. Replaces an earlier record. */
  recordLast(name: string, at: number): Promise<void>
  /** Returns the records whose names begin with `beginning`, without that beginning. */
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
