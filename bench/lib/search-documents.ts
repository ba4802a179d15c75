import pg from 'pg'
import type { Address } from 'viem'
import type { Cursor, IndexChange } from '../../packages/catalog/src/index/index-store.js'
import { type Searchable, searchable } from '../../packages/catalog/src/search/documents/document.js'
import { firstId, sliceOf, textRow, valueRows } from '../../packages/catalog/src/search/sql/rows.js'
import { didOf } from '../../packages/protocol/src/ddo/ddo.js'
import type {
  IndexedAsset,
  IndexedDatatoken,
  IndexedMetadata,
  IndexedNft,
} from '../../packages/protocol/src/ddo/indexed.js'
import { storedServices } from '../../packages/protocol/src/ddo/stored-services.js'
import type { StateStore } from '../../packages/provider/src/state/stores.js'

/** Id of the chain that the documents are of. */
export const CHAIN = 8996
const BATCH = 100

/** A seeded random generator of numbers from 0 to below 1. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const next = random(1)
/** Words distributed as in natural text: the first ones in every other document, the last ones in a handful. */
export const word = () => `word${Math.floor(20_000 ** next())}`
const text = (count: number) => Array.from({ length: count }, word).join(' ')
const address = (at: number) => `0x${at.toString(16).padStart(40, '0')}` as Address
/** The addresses of one asset. */
export const addressesOf = (at: number) => ({ nft: address(2 * at + 1), datatoken: address(2 * at + 2) })

/** The index changes of one asset with the size and shape of those on a marketplace. */
export function changesOf(at: number): IndexChange[] {
  const { nft, datatoken } = addressesOf(at)
  const did = didOf(nft, CHAIN)
  const created = new Date(1_700_000_000_000 + at * 60_000).toISOString().replace('.000Z', 'Z')
  const metadata = {
    created,
    updated: created,
    type: next() < 0.8 ? 'dataset' : 'algorithm',
    name: text(5),
    description: text(100),
    author: text(2),
    license: 'https://market.oceanprotocol.com/terms',
    tags: [word(), word(), word()],
    additionalInformation: { termsAndConditions: true },
  }
  const service = {
    id: 'a'.repeat(64),
    type: next() < 0.7 ? 'access' : 'compute',
    files: `0x${'ab'.repeat(400)}`,
    datatokenAddress: datatoken,
    serviceEndpoint: 'https://provider.example.com',
    timeout: 86_400,
  }
  const ddo = {
    '@context': ['https://w3id.org/did/v1'],
    id: did,
    version: '4.1.0',
    chainId: CHAIN,
    nftAddress: nft,
    metadata,
    services: [service],
  }
  const written = JSON.stringify(ddo)
  const told = {
    state: 0,
    reason: null,
    encrypted: true,
    txId: `0x${'1'.repeat(64)}`,
    block: at,
    from: nft,
    timestamp: 1,
  }
  return [
    { kind: 'nft', nft: { address: nft, name: text(1), symbol: 'N', tokenUri: '', owner: address(at % 500), created } },
    { kind: 'datatoken', datatoken: { address: datatoken, nft, name: text(2), symbol: 'D' } },
    {
      kind: 'metadata',
      metadata: { ...told, nft, did, ddo: written } as never,
      services: storedServices(written, ddo),
    },
  ]
}

/** Bulk-loads documents into PostgreSQL, since committing each takes a dozen round trips. The rows are the same. */
export async function poured(url: string, from: number, to: number): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  const pour = (table: string, columns: string, rows: object[]) => {
    const names = columns.replace(/ \w+/g, '').replace(/,/g, ', ')
    const values = names.replace(/\b(tsv|title)\b/g, 'CAST($1 AS tsvector)')
    const text = `INSERT INTO ${table} (${names}) SELECT ${values} FROM json_to_recordset($1) AS row(${columns})`
    return client.query(text, [JSON.stringify(rows)])
  }
  await client.query('DROP INDEX search_text_by_token')
  for (let at = from; at < to; at += BATCH) {
    const assets = Array.from({ length: Math.min(BATCH, to - at) }, (_, i) => assetOf(changesOf(at + i)))
    const documents = assets.map((asset) => ({ asset, document: searchable(asset) as Searchable }))
    const rows = documents.map(({ asset, document }) => {
      const id = firstId(document)
      const { nft, metadata, datatokens, services } = asset
      return {
        nft: { chain_id: CHAIN, ...nft, token_uri: '' },
        asset: { ...metadata, chain_id: CHAIN, encrypted: 1, tx_id: metadata.txId, sender: metadata.from, services },
        datatoken: { chain_id: CHAIN, ...datatokens[0], position: 0 },
        document: { id, chain_id: CHAIN, nft: nft.address, did: metadata.did },
        text: { id, slice: sliceOf(id), ...textRow(document, CHAIN, 'postgres') },
        values: valueRows(document).map((row) => ({ doc: id, ...row })),
      }
    })
    await pour(
      'index_nft',
      'chain_id bigint,address text,name text,symbol text,token_uri text,owner text,created text',
      rows.map((row) => row.nft),
    )
    await pour(
      'index_datatoken',
      'chain_id bigint,address text,nft text,name text,symbol text,orders bigint,position bigint',
      rows.map((row) => row.datatoken),
    )
    await pour(
      'index_asset',
      'did text,chain_id bigint,nft text,state bigint,ddo text,reason text,encrypted bigint,tx_id text,block bigint,sender text,timestamp bigint,services text',
      rows.map((row) => row.asset),
    )
    await pour(
      'search_document',
      'id bigint,chain_id bigint,nft text,did text',
      rows.map((row) => row.document),
    )
    await pour(
      'search_text',
      'id bigint,slice bigint,tsv text,kind text,title text',
      rows.map((row) => row.text),
    )
    await pour(
      'search_value',
      'doc bigint,path bigint,n bigint,num float8,txt text',
      rows.flatMap((row) => row.values),
    )
  }
  await client.query('CREATE INDEX search_text_by_token ON search_text USING gin (tsv) WITH (fastupdate = off)')
  // the server's autovacuum would do this later
  await client.query('VACUUM ANALYZE')
  await client.end()
}

/** The indexed asset that results from the changes of one asset. */
function assetOf(changes: IndexChange[]): IndexedAsset {
  const [nft, datatoken, metadata] = changes as unknown as [
    { nft: IndexedNft },
    { datatoken: IndexedDatatoken },
    { metadata: IndexedMetadata; services: string },
  ]
  return {
    chainId: CHAIN,
    nft: nft.nft,
    datatokens: [{ ...datatoken.datatoken, orders: 0 }],
    metadata: metadata.metadata,
    services: metadata.services,
  }
}

/** Stores assets, by default those of this benchmark. Answers the milliseconds of the longest batch. */
export async function fill(store: StateStore, count: number, make = changesOf): Promise<number> {
  let from: Cursor | undefined
  let longest = 0
  for (let at = 0; at < count; at += BATCH) {
    const changes = Array.from({ length: Math.min(BATCH, count - at) }, (_, i) => make(at + i)).flat()
    const to: Cursor = { block: at + 1, hash: '0x1' }
    const begun = performance.now()
    await store.index.commit({ chainId: CHAIN, from, to, changes })
    longest = Math.max(longest, performance.now() - begun)
    from = to
  }
  return longest
}
