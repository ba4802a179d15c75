import { randomInt } from 'node:crypto'
import { type Dialect, type Driver, run, runScript, type Script, sql } from '@tidegate/database'
import { SearchError } from '@tidegate/protocol'
import { CATALOG_LIMITS } from '../limits.js'
import { Searches } from '../search/sql/searches.js'
import type { SearchStore } from '../search-store.js'
import { assetsOf, documentOf } from './assets.js'
import { refreshIfStorable } from './search-rows.js'

const TOUCH = sql('UPDATE index_reading SET version = :version WHERE id = :id')

/**
 * Gives a generation a new version, which invalidates cached results. Versions are random, so that a database that was
 * restored or replaced never has that of another state.
 */
export function* touch(id: number): Script<void> {
  yield* run(TOUCH({ id, version: randomInt(1, 2 ** 47) }))
}

/** Statements that delete rows of a generation (`:id`), for up to `count` documents at a time. */
export function sweeps(dialect: Dialect, count: number) {
  const some = `SELECT id FROM search_document WHERE chain_id = :id ORDER BY id LIMIT ${count}`
  return [
    sql(`DELETE FROM search_value WHERE doc IN (${some})`),
    sql(`DELETE FROM search_text WHERE ${dialect === 'sqlite' ? 'rowid' : 'id'} IN (${some})`),
    sql(`DELETE FROM search_document WHERE id IN (${some})`),
    sql('DELETE FROM search_pending WHERE chain_id = :id'),
  ]
}

/**
 * Schedules a rebuild of the search index for all documents, in the background. Until then searches are refused: whatever
 * is in it may be of another state.
 */
export const REFRESH_ALL = `
  INSERT INTO search_pending (chain_id, nft)
    SELECT chain_id, nft FROM (SELECT chain_id, nft FROM index_asset UNION SELECT chain_id, nft FROM search_document) AS every WHERE true
`

const pending = (which: string) =>
  sql(`SELECT chain_id, nft FROM search_pending WHERE ${which} ORDER BY chain_id, nft LIMIT :most`)
const PENDING = pending('findable < 2')
const PENDING_LONG = pending('findable = 2')
const WITH_OLDER_ROW = sql(
  'SELECT d.chain_id, d.nft FROM search_text t JOIN search_document d ON d.id = t.id WHERE t.tokens IS NULL LIMIT :most',
)
// the row lock that every change of a generation acquires first
const LOCK = sql('UPDATE index_cursor SET block = block WHERE chain_id = :chainId')

/**
 * Documents whose search rows are to be written: pending ones, the long ones of a crowded commit last, and then those with a
 * row of an earlier version, which instances of that version may still write during an upgrade.
 */
function* unbuilt(most: number, dialect: Dialect): Script<{ chain_id: number; nft: string }[]> {
  let { rows } = yield* run(PENDING({ most }))
  if (rows.length === 0) rows = (yield* run(PENDING_LONG({ most }))).rows
  if (rows.length === 0 && dialect === 'postgres') rows = (yield* run(WITH_OLDER_ROW({ most }))).rows
  return rows as { chain_id: number; nft: string }[]
}

/** Builds the search index of some documents that lack it, or have that of an earlier version. Returns whether there were any. */
export function* buildSome(dialect: Dialect): Script<boolean> {
  const { documents, characters } = CATALOG_LIMITS.search.built
  const rows = yield* unbuilt(documents, dialect)
  const chains = new Set(rows.map((row) => row.chain_id))
  for (const chainId of chains) yield* run(LOCK({ chainId }))
  let read = 0
  for (const { chain_id: chainId, nft } of rows) {
    read += yield* refreshIfStorable(chainId, nft, dialect)
    if (read > characters) break
  }
  for (const chainId of chains) yield* touch(chainId)
  return rows.length > 0
}

const MERGE = sql("INSERT INTO search_text (search_text, rank) VALUES ('merge', :pages)")
const WRITTEN = sql('SELECT total_changes() AS n')

/** Merges parts of SQLite's full-text index, up to a number of pages. Returns whether there was anything to merge. */
export function* mergeSome(pages: number): Script<boolean> {
  const written = function* () {
    return (yield* run(WRITTEN())).rows[0]?.n as number
  }
  const before = yield* written()
  yield* run(MERGE({ pages }))
  // the statement itself counts as one
  return (yield* written()) - before > 1
}

/** Search of the documents of the index. */
export function searchStore(db: Driver): SearchStore {
  const searches = new Searches(db)
  return {
    close: () => searches.close(),
    async find(search, scope) {
      const found = await searches.find(search, scope)
      if (!found.building) return found
      throw new SearchError('SEARCH_UNAVAILABLE', 'The documents are being read for the first time. Try again later.')
    },
    assets: (dids) => runScript(assetsOf(dids, db.dialect), (query) => db.query(query)),
    document: (asset) => runScript(documentOf(asset), (query) => db.query(query)),
    async buildSome() {
      // checks before a write transaction, since nearly always there are none
      const some = await runScript(unbuilt(1, db.dialect), (query) => db.query(query))
      if (some.length === 0) return false
      return db.onThread?.({ task: 'build' }) ?? db.transact(buildSome(db.dialect))
    },
    async mergeSome() {
      return db.dialect === 'sqlite' && (await db.transact(mergeSome(CATALOG_LIMITS.search.merged)))
    },
  }
}
