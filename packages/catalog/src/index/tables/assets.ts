import { type Dialect, type Query, run, type Script, sqlOne, unpacked, type Value } from '@tidegate/database'
import type { Address, IndexedAsset, IndexedDatatoken, IndexedMetadata, IndexedNft } from '@tidegate/protocol'
import { CATALOG_LIMITS } from '../../limits.js'
import { isComplete } from './format.js'
import { OFFERS, offersIn } from './offers.js'

type Row = Record<string, Value>
type Datatokens = IndexedAsset['datatokens']

const LIMITS = CATALOG_LIMITS.search

/** Returns an asset from its rows in index_asset, index_nft and index_datatoken. */
export function assetOf(chainId: number, asset: Row, nft: Row, datatokens: Row[]): IndexedAsset {
  return {
    chainId,
    nft: nftOf(nft),
    datatokens: datatokens.map(({ address, nft, name, symbol, orders }) => ({
      ...({ address, nft, name, symbol } as IndexedDatatoken),
      orders: orders as number,
    })) satisfies Datatokens,
    metadata: metadataOf(asset),
    ...(typeof asset.offers === 'string'
      ? { offers: offersIn(asset.offers, datatokens as { address: Address }[]) }
      : {}),
  }
}

/** Reads a row of index_asset. */
function metadataOf({ nft, did, state, ddo, reason, encrypted, block, timestamp, ...row }: Row): IndexedMetadata {
  const { tx_id: txId, sender: from } = row
  const text = typeof ddo === 'string' ? unpacked(ddo) : ddo
  const metadata = { nft, did, state, ddo: text, reason, encrypted: encrypted !== 0, txId, block, from, timestamp }
  return metadata as IndexedMetadata
}

/** Reads a row of index_nft. */
export function nftOf({ address, name, symbol, token_uri: tokenUri, owner, created }: Row): IndexedNft {
  return { address, name, symbol, tokenUri, owner, created } as IndexedNft
}

const COLUMNS = `a.chain_id, a.nft, a.did, a.state, a.reason, a.encrypted, a.tx_id, a.block, a.sender, a.timestamp,
    n.address, n.name, n.symbol, n.token_uri, n.owner, n.created`
/** The document for lists, without long ones: untrusted documents must not inflate lists. */
const FOR_LISTS = `CASE WHEN a.size > ${LIMITS.long} THEN NULL ELSE a.ddo END AS ddo, a.size`
const SOME_DATATOKENS = `(SELECT t.address, t.name, t.symbol, t.orders, t.position FROM index_datatoken t
    WHERE t.chain_id = a.chain_id AND t.nft = a.nft ORDER BY t.position LIMIT ${LIMITS.datatokens}) AS first_ones`
/** The first datatokens of an NFT as a JSON list, to read them in the same statement. */
const DATATOKENS: Record<Dialect, string> = {
  sqlite: `(SELECT json_group_array(json_array(address, name, symbol, orders)) FROM ${SOME_DATATOKENS})`,
  postgres: `(SELECT CAST(json_agg(json_build_array(address, name, symbol, orders) ORDER BY position) AS TEXT)
    FROM ${SOME_DATATOKENS})`,
}
const assetsIn = (dialect: Dialect) => `SELECT r.chain_id AS chain, a.services, ${COLUMNS}, ${FOR_LISTS},
  ${DATATOKENS[dialect]} AS datatokens, CASE WHEN ${isComplete('r.id')} THEN ${OFFERS[dialect]} END AS offers
  FROM index_asset a JOIN index_reading r ON r.id = a.chain_id AND r.role = 'live'
    JOIN index_nft n ON n.chain_id = a.chain_id AND n.address = a.nft WHERE a.did IN `
const readableIn = (dialect: Dialect) => `SELECT ${COLUMNS}, a.ddo, ${DATATOKENS[dialect]} AS datatokens,
  ${OFFERS[dialect]} AS offers
  FROM index_asset a JOIN index_nft n ON n.chain_id = a.chain_id AND n.address = a.nft
  WHERE a.chain_id = ? AND a.ddo IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM takedowns d WHERE d.hash = substr(a.did, length(a.did) - 63) AND d.ended_at IS NULL) AND a.nft IN `
const offersOf = (dialect: Dialect) => `SELECT ${DATATOKENS[dialect]} AS datatokens, ${OFFERS[dialect]} AS offers
  FROM index_asset a WHERE a.chain_id = ? AND a.nft IN `
const OFFERS_OF = { sqlite: offersOf('sqlite'), postgres: offersOf('postgres') }
const ASSETS = { sqlite: assetsIn('sqlite'), postgres: assetsIn('postgres') }
const READABLE = { sqlite: readableIn('sqlite'), postgres: readableIn('postgres') }

/** Reads assets of the live generations for a list. Omits missing assets, and long documents (`unread`). */
export function* assetsOf(dids: string[], dialect: Dialect): Script<Map<string, IndexedAsset>> {
  if (dids.length === 0) return new Map()
  const { rows } = yield* run(among(ASSETS[dialect], dids))
  return new Map(rows.map((row) => [row.did as string, servedAsset(row)]))
}

const DOCUMENT = sqlOne(
  `SELECT a.ddo FROM index_asset a JOIN index_reading r ON r.id = a.chain_id AND r.role = 'live'
   WHERE a.did = :did AND a.tx_id = :txId`,
)

/** Reads the document of a listed asset; undefined if the asset has changed since. */
export function* documentOf({ metadata: { did, txId } }: IndexedAsset): Script<string | undefined> {
  const ddo = (yield* run(DOCUMENT({ did, txId }))).rows[0]?.ddo
  return typeof ddo === 'string' ? unpacked(ddo) : undefined
}

/** Reads assets of a generation by NFT. Omits missing assets, those without a document, and those that are taken down. */
export function* readableAssets(
  generation: number,
  chainId: number,
  nfts: string[],
  dialect: Dialect,
): Script<Map<string, IndexedAsset>> {
  const { rows } = yield* run(among(READABLE[dialect], nfts, [generation]))
  return new Map(rows.map((row) => [row.nft as string, assetIn(chainId, row)]))
}

/** Reads the active offers of an NFT without its document. Undefined if it has no asset. */
export function* offersOfNft(generation: number, nft: string, dialect: Dialect): Script<IndexedAsset['offers']> {
  const [row] = (yield* run(among(OFFERS_OF[dialect], [nft], [generation]))).rows
  return row && offersIn(row.offers as string, datatokensIn(row))
}

function servedAsset(row: Row): IndexedAsset {
  const asset = assetIn(row.chain as number, row)
  if (row.services !== null) asset.services = row.services as string
  if ((row.size as number) > LIMITS.long) asset.unread = row.size as number
  return asset
}

function assetIn(chainId: number, row: Row): IndexedAsset {
  return assetOf(chainId, row, row, datatokensIn(row))
}

/** Parses the list of DATATOKENS. */
function datatokensIn({ datatokens, nft = null }: Row): (Row & { address: Address })[] {
  const listed = JSON.parse((datatokens ?? '[]') as string) as [Address, ...Value[]][]
  return listed.map(([address, name = null, symbol = null, orders = null]) => ({ address, nft, name, symbol, orders }))
}

/** Keys per statement: few sizes, so that there are few statements to prepare. */
const SIZES = [1, 8, 24, 50]

/** Returns a statement for a list of keys. Pads the list to the next size with its last key. */
export function among(text: string, keys: string[], first: Value[] = []): Query {
  const size = SIZES.find((one) => one >= keys.length)
  const listed = [...keys, ...Array<string>((size ?? keys.length) - keys.length).fill(keys[keys.length - 1] as string)]
  return {
    text: `${text.trim()} (${listed.map(() => '?').join(', ')})`,
    values: [...first, ...listed],
    isFixed: size !== undefined,
  }
}
