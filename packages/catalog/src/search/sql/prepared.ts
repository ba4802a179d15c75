import { isDeepStrictEqual } from 'node:util'
import type { Dialect } from '@tidegate/database'
import type { IndexedAsset } from '@tidegate/protocol'
import { searchable } from '../document.js'
import { type SearchValue, textColumns, valueRows } from './rows.js'

/** The search rows of an asset, apart from its id and the generation of the index. */
export interface SearchRows {
  did: string
  /** Deployment time of its NFT, in seconds since 1970. */
  created: number
  text: Record<string, string | null>
  values: SearchValue[]
}

/** Search rows that were made before their asset was in the index, for what it was expected to be. */
export interface PreparedSearch {
  asset: IndexedAsset
  /** As JSON, which goes from thread to thread faster than their values; undefined if it must not be found. */
  rows: string | undefined
}

/** An asset that was expected without its document. */
export function withDocument(asset: IndexedAsset, { ddo, did }: { ddo: string; did: string }): IndexedAsset {
  return { ...asset, metadata: { ...asset.metadata, ddo, did } }
}

/** Makes the search rows of an asset ahead; see `PreparedSearch`. */
export function preparedRows(asset: IndexedAsset, dialect: Dialect): string | undefined {
  return JSON.stringify(searchRows(asset, dialect))
}

/** Makes the search rows of an asset; undefined if it must not be found. */
function searchRows(asset: IndexedAsset, dialect: Dialect): SearchRows | undefined {
  const document = searchable(asset)
  if (!document) return undefined
  const { did, created } = document
  return { did, created, text: textColumns(document, dialect), values: valueRows(document) }
}

/** The search rows of an asset: those that were prepared where it is as expected, else made now. */
export function rowsFor(
  asset: IndexedAsset,
  dialect: Dialect,
  prepared: PreparedSearch | undefined,
): SearchRows | undefined {
  if (!prepared || !isDeepStrictEqual(prepared.asset, asset)) return searchRows(asset, dialect)
  return prepared.rows === undefined ? undefined : (JSON.parse(prepared.rows) as SearchRows)
}
