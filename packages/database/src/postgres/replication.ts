import { type Driver, sql } from '../sql.js'

// without a privilege, the other columns of pg_stat_replication are null
const REPLICATION = sql(`SELECT (SELECT count(*) FROM pg_stat_replication) AS standbys,
  current_setting('synchronous_standby_names') AS names, current_setting('synchronous_commit') AS wait`)

/** Returns whether a standby follows that may lack acknowledged writes, which its promotion would lose. Throws StateError. */
export async function mayLoseWrites(db: Pick<Driver, 'dialect' | 'query'>): Promise<boolean> {
  if (db.dialect !== 'postgres') return false
  const [row] = (await db.query(REPLICATION())).rows
  return Number(row?.standbys) > 0 && (row?.names === '' || row?.wait === 'off' || row?.wait === 'local')
}
