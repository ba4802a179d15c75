import { isDeepStrictEqual } from 'node:util'
import type { Dialect } from '../state/dialect.js'
import type { IndexedAsset, PreparedSearch, SearchRows } from '../state/indexed.js'
import { searchable } from './document.js'
import { textColumns, valueRows } from './rows.js'

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
