import { run } from '../script.js'
import type { Query, Script, Value } from '../sql.js'
import type { IndexedAsset, IndexedDatatoken, IndexedMetadata, IndexedNft } from '../store.js'

type Row = Record<string, Value>
type Datatokens = IndexedAsset['datatokens']

/** Builds an asset from its rows in index_asset, index_nft and index_datatoken. */
export function assetOf(chainId: number, asset: Row, nft: Row, datatokens: Row[]): IndexedAsset {
  return {
    chainId,
    nft: nftOf(nft),
    datatokens: datatokens.map(({ address, nft, name, symbol, orders }) => ({
      ...({ address, nft, name, symbol } as IndexedDatatoken),
      orders: orders as number,
    })) satisfies Datatokens,
    metadata: metadataOf(asset),
  }
}

/** Reads a row of index_asset. */
export function metadataOf({
  nft,
  did,
  state,
  ddo,
  reason,
  encrypted,
  block,
  timestamp,
  ...row
}: Row): IndexedMetadata {
  const { tx_id: txId, sender: from } = row
  const metadata = { nft, did, state, ddo, reason, encrypted: encrypted !== 0, txId, block, from, timestamp }
  return metadata as IndexedMetadata
}

/** Reads a row of index_nft. */
export function nftOf({ address, name, symbol, token_uri: tokenUri, owner, created }: Row): IndexedNft {
  return { address, name, symbol, tokenUri, owner, created } as IndexedNft
}

const COLUMNS = `a.chain_id, a.nft, a.did, a.state, a.ddo, a.reason, a.encrypted, a.tx_id, a.block, a.sender, a.timestamp,
    n.address, n.name, n.symbol, n.token_uri, n.owner, n.created`
const ASSETS = `
  SELECT r.chain_id AS chain, ${COLUMNS}
  FROM index_asset a JOIN index_reading r ON r.id = a.chain_id AND r.role = 'live'
    JOIN index_nft n ON n.chain_id = a.chain_id AND n.address = a.nft WHERE a.did IN `
const READABLE = `
  SELECT ${COLUMNS}
  FROM index_asset a JOIN index_nft n ON n.chain_id = a.chain_id AND n.address = a.nft
  WHERE a.chain_id = ? AND a.ddo IS NOT NULL AND a.nft IN `
const DATATOKENS = 'SELECT address, nft, name, symbol, orders FROM index_datatoken WHERE chain_id = ? AND nft IN '

/** Reads assets of the live generations; missing ones are omitted. */
export function* assetsOf(dids: string[]): Script<Map<string, IndexedAsset>> {
  if (dids.length === 0) return new Map()
  const { rows } = yield* run(among(ASSETS, dids))
  // by the id of their generation, of which there is one for each chain
  const generations = new Map<Value, string[]>()
  for (const row of rows)
    generations.set(row.chain_id as Value, [...(generations.get(row.chain_id as Value) ?? []), row.nft as string])
  const datatokens = new Map<Value, Map<Value, Row[]>>()
  for (const [id, nfts] of generations) datatokens.set(id, yield* datatokensOf(id, nfts))
  return new Map(
    rows.map((row) => [
      row.did as string,
      assetOf(row.chain as number, row, row, datatokens.get(row.chain_id as Value)?.get(row.nft as Value) ?? []),
    ]),
  )
}

/** Reads the assets of some NFTs in a generation, by NFT; missing ones, and those without a document, are omitted. */
export function* readableAssets(
  generation: number,
  chainId: number,
  nfts: string[],
): Script<Map<string, IndexedAsset>> {
  const { rows } = yield* run(among(READABLE, nfts, '', [generation]))
  if (rows.length === 0) return new Map()
  const datatokens = yield* datatokensOf(generation, nfts)
  return new Map(
    rows.map((row) => [row.nft as string, assetOf(chainId, row, row, datatokens.get(row.nft as Value) ?? [])]),
  )
}

/** The datatokens of some NFTs in a generation, by NFT. */
function* datatokensOf(generation: Value, nfts: string[]): Script<Map<Value, Row[]>> {
  const found = new Map<Value, Row[]>()
  for (const row of (yield* run(among(DATATOKENS, nfts, ' ORDER BY position', [generation]))).rows) {
    const known = found.get(row.nft as Value)
    if (known) known.push(row)
    else found.set(row.nft as Value, [row])
  }
  return found
}

/** Keys per statement: a few sizes, so that there are few statements to plan. */
const SIZES = [1, 8, 24, 50]

/** A statement for a list of keys. One that is shorter than these sizes repeats its last key. */
export function among(text: string, keys: string[], rest = '', first: Value[] = []): Query {
  const size = SIZES.find((one) => one >= keys.length)
  const listed = [...keys, ...Array<string>((size ?? keys.length) - keys.length).fill(keys[keys.length - 1] as string)]
  return {
    text: `${text.trim()} (${listed.map(() => '?').join(', ')})${rest}`,
    values: [...first, ...listed],
    isFixed: size !== undefined,
  }
}
