import { type Driver, type Query, sql, sqlOne } from '@tidegate/database'

/** The cut-over time in milliseconds since 1970: requests signed earlier, for another service, are refused. */
export interface CutOverStore {
  /** Undefined if no service was replaced. */
  get(): Promise<number | undefined>
  /** Changes if the time may have risen (`Driver.timeline`). */
  readonly timeline?: number | undefined
  /** Raises the time; never lowers it. */
  raise(at: number): Promise<void>
}

const AT = sqlOne('SELECT at FROM cut_over')
const RAISE = sql(
  `INSERT INTO cut_over (id, at) VALUES (1, :at)
   ON CONFLICT (id) DO UPDATE SET at = excluded.at WHERE excluded.at > cut_over.at`,
)

/** Returns the statement that raises the time to `at`. */
export const raiseCutOver = (at: number): Query => RAISE({ at })

export function cutOverStore(db: Driver): CutOverStore {
  return {
    get: async () => (await db.query(AT())).rows[0]?.at as number | undefined,
    get timeline() {
      return db.timeline
    },
    async raise(at) {
      await db.query(raiseCutOver(at))
    },
  }
}
