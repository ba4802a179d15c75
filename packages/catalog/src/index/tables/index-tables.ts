import { type Dialect, type Driver, type Query, sql, sqlOne, type Value } from '@tidegate/database'
import type { IndexedAsset, IndexedDatatoken } from '@tidegate/protocol'
import type { Address } from 'viem'
import { CATALOG_LIMITS } from '../../limits.js'
import type { IndexConsumer } from '../index-consumer.js'
import type { Checkpoint, HiddenAsset, IndexBatch, IndexGeneration, IndexRole, IndexStore } from '../index-store.js'
import { weightOf } from '../index-store.js'
import { assetOf, nftOf } from './assets.js'
import { beginRollback, commit, confirm, undoSome } from './commit.js'
import { isComplete } from './format.js'
import {
  abandonNext,
  begin,
  type CursorRow,
  cursorOf,
  generationsFrom,
  idSubquery,
  listGenerations,
  promote,
  sweep,
} from './generations.js'
import { OFFERS } from './offers.js'

const CHAINS = sql("SELECT chain_id FROM index_reading WHERE role = 'live' ORDER BY chain_id")
const FIND_NFT = 'SELECT address, name, symbol, token_uri, owner, created FROM index_nft'
const NFT_IN = sqlOne(`${FIND_NFT} WHERE chain_id = :generation AND address = :address`)
const LIVE_NFT = sqlOne(`${FIND_NFT} WHERE chain_id = ${idSubquery('live')} AND address = :address`)
const LIVE_DATATOKEN = sqlOne(
  `SELECT address, nft, name, symbol FROM index_datatoken
   WHERE chain_id = ${idSubquery('live')} AND address = :address`,
)
const DATATOKENS_OF = sql(
  `SELECT address, nft, name, symbol, orders FROM index_datatoken
   WHERE chain_id = :generation AND nft = :nft ORDER BY position`,
)
const HIDDEN_OF = sql(
  `SELECT r.chain_id AS chain, a.did, a.state, n.address, n.name, n.symbol, n.owner, n.created
   FROM index_nft n JOIN index_reading r ON r.id = n.chain_id AND r.role = 'live'
     JOIN index_asset a ON a.chain_id = n.chain_id AND a.nft = n.address
   WHERE n.owner = :owner AND a.sender = :owner AND a.state NOT IN (0, 5) AND a.ddo IS NOT NULL
   ORDER BY n.created DESC, a.did LIMIT :limit`,
)
const assetIn = (dialect: Dialect) =>
  sqlOne(
    `SELECT r.id AS generation, r.chain_id, a.nft, a.did, a.state, a.ddo, a.reason, a.encrypted, a.tx_id, a.block,
     a.sender, a.timestamp, CASE WHEN ${isComplete('r.id')} THEN ${OFFERS[dialect]} END AS offers
   FROM index_asset a JOIN index_reading r ON r.id = a.chain_id AND r.role = 'live' WHERE a.did = :did`,
  )
const ASSET = { sqlite: assetIn('sqlite'), postgres: assetIn('postgres') }

/** Statements by the role of the generation. */
const STATEMENTS = { live: statementsFor('live'), next: statementsFor('next') }

function statementsFor(role: IndexRole) {
  return {
    cursor: sqlOne(
      `SELECT block, hash, part_block, part_hash, part_log FROM index_cursor WHERE chain_id = ${idSubquery(role)}`,
    ),
    checkpoints: sql(
      `SELECT block, hash, events, digest FROM index_checkpoint WHERE chain_id = ${idSubquery(role)} ORDER BY block DESC`,
    ),
    nft: emittersIn('index_nft', role),
    datatoken: emittersIn('index_datatoken', role),
    market: emittersIn('index_market', role),
  }
}

/** Returns the statements for the addresses in a table. */
function emittersIn(table: string, role: IndexRole) {
  const select = `SELECT address FROM ${table} WHERE chain_id = ${idSubquery(role, '?')}`
  return {
    // pads to full hundreds, so that there are few statements to prepare
    known(chainId: number, addresses: Address[], upTo?: number): Query {
      const places = Math.ceil(addresses.length / 100) * 100
      const values = Array.from({ length: places }, (_, at) => addresses[at] ?? (addresses[0] as Address))
      const text = `${select} AND address IN (${values.map(() => '?').join(', ')})`
      return upTo === undefined
        ? { text, values: [chainId, ...values] }
        : { text: `${text} AND block <= ?`, values: [chainId, ...values, upTo] }
    },
    after: (chainId: number, address: string, limit: number): Query => ({
      text: `${select} AND address > ? ORDER BY address LIMIT ?`,
      values: [chainId, address, limit],
    }),
  }
}

/** Returns the number of rows that a batch counts for (see Driver.onThread). */
function rowsOf({ changes }: IndexBatch): number {
  const characters = changes.reduce((sum, change) => sum + weightOf(change), 0)
  return changes.length + Math.floor(characters / CATALOG_LIMITS.index.row)
}

/** Creates the store of the index tables. The rows of `consumer` follow in the same transactions. */
export function indexStore(db: Driver, consumer: IndexConsumer): IndexStore {
  const rows = async <T>(query: Query) => (await db.query(query)).rows as T[]
  const nft = async (query: Query) => {
    const [row] = (await db.query(query)).rows
    return row && nftOf(row)
  }

  const addressesOf = async (query: Query) => (await rows<{ address: Address }>(query)).map(({ address }) => address)

  async function asset(did: string): Promise<IndexedAsset | undefined> {
    const [row] = (await db.query(ASSET[db.dialect]({ did }))).rows
    if (!row) return undefined
    const { generation, chain_id: chainId } = row
    const [[owner], datatokens] = await Promise.all([
      rows<Record<string, Value>>(NFT_IN({ generation, address: row.nft })),
      rows<Record<string, Value>>(DATATOKENS_OF({ generation, nft: row.nft })),
    ])
    return owner && assetOf(chainId as number, row, owner, datatokens)
  }

  const generation = (role: IndexRole): IndexGeneration => ({
    dialect: db.dialect,
    async cursor(chainId) {
      const [row] = await rows<CursorRow>(STATEMENTS[role].cursor({ chainId }))
      return row && cursorOf(row)
    },
    commit: (batch) =>
      // `onUnstorable` cannot be sent to a thread
      (batch.onUnstorable ? undefined : db.onThread?.({ task: 'commit', input: { role, batch } }, rowsOf(batch))) ??
      db.transact(commit(role, batch, consumer)),
    checkpoints: (chainId) => rows<Checkpoint>(STATEMENTS[role].checkpoints({ chainId })),
    confirm: (chainId, block) => db.transact(confirm(role, chainId, block)),
    async rollback(chainId, to) {
      await db.transact(beginRollback(role, chainId, to))
      const undo = { task: 'undo', input: { role, chainId } }
      while (await (db.onThread?.(undo) ?? db.transact(undoSome(role, chainId, consumer))));
    },
    known: (chainId, kind, addresses, upTo) =>
      addresses.length === 0
        ? Promise.resolve([])
        : addressesOf(STATEMENTS[role][kind].known(chainId, addresses, kind === 'market' ? upTo : undefined)),
    emitters: (chainId, kind, after = '0x', limit) => addressesOf(STATEMENTS[role][kind].after(chainId, after, limit)),
  })

  return {
    ...generation('live'),
    next: generation('next'),
    tryLead: (chainId) => db.tryLead(`index of chain ${chainId}`),
    chains: async () => (await rows<{ chain_id: number }>(CHAINS())).map((row) => row.chain_id),
    generations: async (chainId) => generationsFrom(await rows(listGenerations({ chainId }))),
    begin: (chainId, wanted) => db.transact(begin(chainId, wanted)),
    abandon: (chainId) => db.transact(abandonNext(chainId)),
    promote: (chainId, at) => db.transact(promote(chainId, at)),
    sweep: (chainId) => db.onThread?.({ task: 'sweep', input: { chainId } }) ?? db.transact(sweep(chainId, consumer)),
    nft: (chainId, address) => nft(LIVE_NFT({ chainId, address })),
    datatoken: async (chainId, address) => (await rows<IndexedDatatoken>(LIVE_DATATOKEN({ chainId, address })))[0],
    asset,
    hiddenOf: async (owner, limit) =>
      (await rows<Record<string, Value>>(HIDDEN_OF({ owner, limit }))).map(
        ({ chain, did, state, ...nft }) => ({ chainId: chain, did, state, nft }) as unknown as HiddenAsset,
      ),
  }
}
