import { type Dialect, run, type Script, sql } from '@tidegate/database'
import { renewVersion } from '../../index/tables/generations.js'
import { CATALOG_LIMITS } from '../../limits.js'
import { OLDER_TOKEN } from '../prices.js'
import { rewriteIfStorable } from './document-rows.js'

/** SQL that schedules a rebuild of all search rows in the background. Until then searches are refused. */
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
const WITH_OLDER_TOKEN = sql(
  `SELECT d.chain_id, d.nft FROM search_value v JOIN search_document d ON d.id = v.doc WHERE v.path = ${OLDER_TOKEN} LIMIT :most`,
)
// the row lock that every change of a generation takes first
const LOCK = sql('UPDATE index_cursor SET block = block WHERE chain_id = :chainId')

/**
 * Returns documents to build search rows for: short ones, then long ones, then those with rows of an earlier version, which its instances
 * may write during an upgrade.
 */
export function* unbuilt(most: number, dialect: Dialect): Script<{ chain_id: number; nft: string }[]> {
  let { rows } = yield* run(PENDING({ most }))
  if (rows.length === 0) rows = (yield* run(PENDING_LONG({ most }))).rows
  for (const older of dialect === 'postgres' ? [WITH_OLDER_ROW, WITH_OLDER_TOKEN] : [])
    if (rows.length === 0) rows = (yield* run(older({ most }))).rows
  return rows as { chain_id: number; nft: string }[]
}

/** Builds some missing search rows. Returns whether there were any. */
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
