import { type Driver, run, type Script, sql } from '@tidegate/database'

const MERGE = sql("INSERT INTO search_text (search_text, rank) VALUES ('merge', :pages)")
const WRITTEN = sql('SELECT total_changes() AS n')

/** Merges segments of SQLite's full-text index, up to a number of pages. Returns whether any were merged. */
export function* mergeSome(pages: number): Script<boolean> {
  const written = function* () {
    return (yield* run(WRITTEN())).rows[0]?.n as number
  }
  const before = yield* written()
  yield* run(MERGE({ pages }))
  // the statement itself counts as one
  return (yield* written()) - before > 1
}

/** The full-text indexes that this user may alter, and whether they collect words. */
const INDEXES = sql(
  `SELECT CAST(CAST(c.oid AS regclass) AS TEXT) AS name, CASE WHEN 'fastupdate=on' = ANY (c.reloptions) THEN 1 ELSE 0 END AS on
   FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam JOIN pg_class t ON t.oid = i.indrelid
   WHERE a.amname = 'gin' AND c.relkind = 'i' AND t.relname LIKE 'search_text%' AND pg_has_role(c.relowner, 'USAGE')
     AND t.relnamespace = CAST(current_schema() AS regnamespace)`,
)

/** See `SearchStore.collectWords`. */
export async function collectWords(db: Driver, isOn: boolean): Promise<void> {
  if (db.dialect !== 'postgres') return
  const { rows } = await db.query(INDEXES())
  for (const { name, on } of rows) {
    if (on === Number(isOn)) continue
    await db.query({ text: `ALTER INDEX ${name} SET (fastupdate = ${isOn ? 'on' : 'off'})`, values: [] })
    if (!isOn) await db.query({ text: 'SELECT gin_clean_pending_list(CAST(? AS regclass))', values: [name as string] })
  }
}
