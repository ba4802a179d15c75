import { isDeepStrictEqual } from 'node:util'
import type { Dialect } from '@tidegate/database'
import type { IndexedAsset } from '@tidegate/protocol'
import type { PreparedRows } from '../../index/index-consumer.js'
import { searchable } from '../documents/document.js'
import { priceRows } from '../prices.js'
import { type SearchValue, textColumns, valueRows } from './rows.js'

/** The search rows of an asset without id and generation. */
export interface SearchRows {
  did: string
  /** Deployment time of its NFT, in seconds since 1970. */
  created: number
  text: Record<string, string | null>
  values: SearchValue[]
}

export function withDocument(asset: IndexedAsset, { ddo, did }: { ddo: string; did: string }): IndexedAsset {
  return { ...asset, metadata: { ...asset.metadata, ddo, did } }
}

/** Prepares the search rows of an asset, as JSON; undefined if it must not be found. */
export function preparedRows(asset: IndexedAsset, dialect: Dialect): string | undefined {
  return JSON.stringify(searchRows(asset, dialect))
}

/** Returns new search rows of an asset; undefined if it must not be found. */
function searchRows(asset: IndexedAsset, dialect: Dialect): SearchRows | undefined {
  const document = searchable(asset)
  if (!document) return undefined
  const { did, created } = document
  return { did, created, text: textColumns(document, dialect), values: valueRows(document) }
}

/** Returns the prepared search rows if the asset is as expected, else new ones. */
export function rowsFor(
  asset: IndexedAsset,
  dialect: Dialect,
  prepared: PreparedRows | undefined,
): SearchRows | undefined {
  // prices are not among the prepared rows, since offers change apart from the document
  const { offers: _, ...rest } = asset
  const isAsPrepared = prepared && isDeepStrictEqual(prepared.asset, rest)
  if (isAsPrepared && prepared.rows === undefined) return undefined
  const rows = isAsPrepared ? (JSON.parse(prepared.rows as string) as SearchRows) : searchRows(asset, dialect)
  return rows && { ...rows, values: [...rows.values, ...priceRows(asset)] }
}
