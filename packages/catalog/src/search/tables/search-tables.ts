import { type Driver, run, runScript, type Script, sql } from '@tidegate/database'
import { SearchError } from '@tidegate/protocol'
import { assetsOf, documentOf } from '../../index/tables/assets.js'
import { CATALOG_LIMITS } from '../../limits.js'
import type { SearchStore } from '../search-store.js'
import { Searches } from '../serving/searches.js'
import { buildSome, unbuilt } from './pending.js'

const MERGE = sql("INSERT INTO search_text (search_text, rank) VALUES ('merge', :pages)")
const WRITTEN = sql('SELECT total_changes() AS n')

/** Merges segments of SQLite's full-text index, up to a number of pages. Returns whether any were merged. */
function* mergeSome(pages: number): Script<boolean> {
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

async function collectWords(db: Driver, isOn: boolean): Promise<void> {
  if (db.dialect !== 'postgres') return
  const { rows } = await db.query(INDEXES())
  for (const { name, on } of rows) {
    if (on === Number(isOn)) continue
    await db.query({ text: `ALTER INDEX ${name} SET (fastupdate = ${isOn ? 'on' : 'off'})`, values: [] })
    if (!isOn) await db.query({ text: 'SELECT gin_clean_pending_list(CAST(? AS regclass))', values: [name as string] })
  }
}

/** Creates the store of the search tables. */
export function searchStore(db: Driver): SearchStore {
  const searches = new Searches(db)
  return {
    close: () => searches.close(),
    async find(search, scope, caller) {
      const found = await searches.find(search, scope, caller)
      if (!found.building) return found
      throw new SearchError('SEARCH_UNAVAILABLE', 'The search index is being built. Try again later.')
    },
    async findOrders(search, chains, caller) {
      const found = await searches.findOrders(search, chains, caller)
      if (found) return found
      throw new SearchError('SEARCH_UNAVAILABLE', 'The orders are being read for the first time. Try again later.')
    },
    assets: (dids) => runScript(assetsOf(dids, db.dialect), (query) => db.query(query)),
    document: (asset) => runScript(documentOf(asset), (query) => db.query(query)),
    async buildSome() {
      // checks before it begins a write transaction, since there are rarely any
      const some = await runScript(unbuilt(1), (query) => db.query(query))
      if (some.length === 0) return false
      return db.onThread?.({ task: 'build' }) ?? db.transact(buildSome(db.dialect))
    },
    collectWords: (isOn) => collectWords(db, isOn),
    async mergeSome() {
      return db.dialect === 'sqlite' && (await db.transact(mergeSome(CATALOG_LIMITS.search.merged)))
    },
  }
}
