import { type Dialect, run, type Script, sql } from '@tidegate/database'
import { renewVersion } from '../../index/tables/generations.js'
import { CATALOG_LIMITS } from '../../limits.js'
import { rewriteIfStorable } from './document-rows.js'

/**
 * Schedules a rebuild of the search rows of all documents, in the background. Until then searches are refused, since the rows
 * may be of another state.
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
 * Returns documents whose search rows are missing: short ones before the long ones of a crowded commit, then those with a row
 * of an earlier version, which instances of that version may still write during an upgrade.
 */
export function* unbuilt(most: number, dialect: Dialect): Script<{ chain_id: number; nft: string }[]> {
  let { rows } = yield* run(PENDING({ most }))
  if (rows.length === 0) rows = (yield* run(PENDING_LONG({ most }))).rows
  if (rows.length === 0 && dialect === 'postgres') rows = (yield* run(WITH_OLDER_ROW({ most }))).rows
  return rows as { chain_id: number; nft: string }[]
}

/** Builds the search rows of some documents that lack them. Returns whether there were any. */
export function* buildSome(dialect: Dialect): Script<boolean> {
  const { documents, characters } = CATALOG_LIMITS.search.built
  const rows = yield* unbuilt(documents, dialect)
  const chains = new Set(rows.map((row) => row.chain_id))
  for (const chainId of chains) yield* run(LOCK({ chainId }))
  let read = 0
  for (const { chain_id: chainId, nft } of rows) {
    read += yield* rewriteIfStorable(chainId, nft, dialect)
    if (read > characters) break
  }
  for (const chainId of chains) yield* renewVersion(chainId)
  return rows.length > 0
}
