import { type Driver, sql, sqlOne } from '@tidegate/database'

/**
 * The time at which this service took over from another one, whose requests must not be accepted again; in milliseconds
 * since 1970.
 */
export interface CutOverStore {
  /** Undefined if it took over from none. */
  get(): Promise<number | undefined>
  /** Raises it; never lowers it. */
  raise(at: number): Promise<void>
}

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
