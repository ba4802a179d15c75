import { type Dialect, run, type Script, sql } from '@tidegate/database'
import { renewVersion } from '../../index/tables/generations.js'
import { CATALOG_LIMITS } from '../../limits.js'
import { rewriteIfStorable } from './document-rows.js'

/** SQL that schedules a rebuild of all search rows in the background. Until then searches are refused. */
export const REFRESH_ALL = `
  INSERT INTO search_pending (chain_id, nft)
    SELECT chain_id, nft FROM (SELECT chain_id, nft FROM index_asset UNION SELECT chain_id, nft FROM search_document) AS every WHERE true
  ON CONFLICT (chain_id, nft) DO UPDATE SET findable = 0`

const pending = (which: string) =>
  sql(`SELECT chain_id, nft FROM search_pending WHERE ${which} ORDER BY chain_id, nft LIMIT :most`)
const PENDING = pending('findable < 2')
const PENDING_LONG = pending('findable = 2')
// the row lock that every change of a generation takes first
const LOCK = sql('UPDATE index_cursor SET block = block WHERE chain_id = :generation')

/** Returns documents to build search rows for: short ones, then long ones. */
export function* unbuilt(most: number): Script<{ chain_id: number; nft: string }[]> {
  let { rows } = yield* run(PENDING({ most }))
  if (rows.length === 0) rows = (yield* run(PENDING_LONG({ most }))).rows
  return rows as { chain_id: number; nft: string }[]
}

/** Builds some missing search rows. Returns whether there were any. */
export function* buildSome(dialect: Dialect): Script<boolean> {
  const { documents, characters } = CATALOG_LIMITS.search.built
  const rows = yield* unbuilt(documents)
  const generations = new Set(rows.map((row) => row.chain_id))
  for (const generation of generations) yield* run(LOCK({ generation }))
  let read = 0
  for (const { chain_id: generation, nft } of rows) {
    read += yield* rewriteIfStorable(generation, nft, dialect)
    if (read > characters) break
  }
  for (const generation of generations) yield* renewVersion(generation)
  return rows.length > 0
}
