import type { Address } from 'viem'
import { attempt, step } from '../script.js'
import { type Driver, type Query, type Script, sql, sqlOne } from '../sql.js'
import type {
  Cursor,
  IndexChange,
  IndexedAsset,
  IndexedDatatoken,
  IndexedMetadata,
  IndexedNft,
  IndexStep,
  IndexStore,
} from '../store.js'
import { instead, queryFor } from './changes.js'
import { forget, keep, takeBack } from './undo.js'

const TABLES = ['index_cursor', 'index_nft', 'index_datatoken', 'index_asset', 'index_checkpoint', 'index_undo']

const CURSOR = sqlOne('SELECT block, hash FROM index_cursor WHERE chain_id = :chainId')
const CHAINS = sql('SELECT chain_id FROM index_cursor ORDER BY chain_id')
const FIRST_CURSOR = sql(
  'INSERT INTO index_cursor (chain_id, block, hash) VALUES (:chainId, :block, :hash) ON CONFLICT DO NOTHING',
)
// the row is locked by this until the end of the transaction, so that of two instances one is late
const NEXT_CURSOR = sql(
  `UPDATE index_cursor SET block = :block, hash = :hash
   WHERE chain_id = :chainId AND block = :fromBlock AND hash = :fromHash`,
)
const SET_CURSOR = sql('UPDATE index_cursor SET block = :block, hash = :hash WHERE chain_id = :chainId')
const CHECKPOINT = sql(
  `INSERT INTO index_checkpoint (chain_id, block, hash) VALUES (:chainId, :block, :hash)
   ON CONFLICT (chain_id, block) DO UPDATE SET hash = excluded.hash`,
)
const CHECKPOINTS = sql('SELECT block, hash FROM index_checkpoint WHERE chain_id = :chainId ORDER BY block DESC')
const CHECKPOINT_AT = sql(
  `SELECT block FROM index_checkpoint WHERE chain_id = :chainId AND block <= :block ORDER BY block DESC LIMIT 1`,
)
const DROP_CHECKPOINTS = sql('DELETE FROM index_checkpoint WHERE chain_id = :chainId AND block < :block')
const DROP_LATER_CHECKPOINTS = sql('DELETE FROM index_checkpoint WHERE chain_id = :chainId AND block > :block')
const FIND_NFT = sqlOne('SELECT * FROM index_nft WHERE chain_id = :chainId AND address = :address')
const FIND_DATATOKEN = sqlOne(
  'SELECT address, nft, name, symbol FROM index_datatoken WHERE chain_id = :chainId AND address = :address',
)
const EMITTERS = { nft: emittersIn('index_nft'), datatoken: emittersIn('index_datatoken') }
const DATATOKENS_OF = sql(
  `SELECT address, nft, name, symbol, orders FROM index_datatoken
   WHERE chain_id = :chainId AND nft = :nft ORDER BY position`,
)
const ASSET = sqlOne(
  `SELECT chain_id, nft, did, state, ddo, reason, encrypted, tx_id, block, sender, timestamp FROM index_asset WHERE did = :did`,
)

/** Statements for the addresses of a table. */
function emittersIn(table: string) {
  const select = `SELECT address FROM ${table} WHERE chain_id = ?`
  return {
    // in full hundreds, so that there are a few statements and not one for each number
    known(chainId: number, addresses: Address[]): Query {
      const places = Math.ceil(addresses.length / 100) * 100
      const values = Array.from({ length: places }, (_, at) => addresses[at] ?? (addresses[0] as Address))
      return { text: `${select} AND address IN (${values.map(() => '?').join(', ')})`, values: [chainId, ...values] }
    },
    after: (chainId: number, address: string, limit: number): Query => ({
      text: `${select} AND address > ? ORDER BY address LIMIT ?`,
      values: [chainId, address, limit],
    }),
  }
}

function* commit({ chainId, from, to, changes, keepSince, leaveOut }: IndexStep): Script<boolean> {
  const move = from
    ? NEXT_CURSOR({ chainId, ...to, fromBlock: from.block, fromHash: from.hash })
    : FIRST_CURSOR({ chainId, ...to })
  if ((yield* step(move)).changes !== 1) return false
  const make = function* (change: IndexChange): Script<void> {
    if (keepSince !== undefined) yield* keep(chainId, to.block, change)
    yield* step(queryFor(chainId, change))
  }
  for (const change of changes) {
    if (!leaveOut) yield* make(change)
    else if (!(yield* attempt(() => make(change)))) {
      leaveOut(change)
      const lesser = instead(change)
      if (lesser) yield* attempt(() => make(lesser))
    }
  }
  // what was not kept cannot be taken back, so the checkpoints before it are void
  const base = keepSince === undefined ? to.block : yield* checkpointAt(chainId, keepSince)
  if (base !== undefined) {
    yield* step(DROP_CHECKPOINTS({ chainId, block: base }))
    yield* forget(chainId, base)
  }
  yield* step(CHECKPOINT({ chainId, ...to }))
  return true
}

function* checkpointAt(chainId: number, block: number): Script<number | undefined> {
  return (yield* step(CHECKPOINT_AT({ chainId, block }))).rows[0]?.block as number | undefined
}

function* rollback(chainId: number, to: Cursor): Script<void> {
  yield* step(SET_CURSOR({ chainId, ...to }))
  yield* takeBack(chainId, to.block)
  yield* step(DROP_LATER_CHECKPOINTS({ chainId, block: to.block }))
}

function* reset(chainId: number): Script<void> {
  for (const table of TABLES) yield* step(sql(`DELETE FROM ${table} WHERE chain_id = :chainId`)({ chainId }))
}

/** A row of index_asset. */
interface AssetRow extends Omit<IndexedMetadata, 'txId' | 'from' | 'encrypted'> {
  chain_id: number
  tx_id: IndexedMetadata['txId']
  sender: IndexedMetadata['from']
  encrypted: number
}

/** The index tables. */
export function indexStore(db: Driver): IndexStore {
  const rows = async <T>(query: Query) => (await db.query(query)).rows as T[]
  const nft = async (chainId: number, address: string) => {
    const [row] = await rows<IndexedNft & { token_uri: string }>(FIND_NFT({ chainId, address }))
    if (!row) return undefined
    const { name, symbol, owner, created, token_uri: tokenUri } = row
    return { address: row.address, name, symbol, tokenUri, owner, created }
  }

  const addressesOf = async (query: Query) => (await rows<{ address: Address }>(query)).map(({ address }) => address)

  async function asset(did: string): Promise<IndexedAsset | undefined> {
    const [row] = await rows<AssetRow>(ASSET({ did }))
    if (!row) return undefined
    const { chain_id: chainId, tx_id: txId, sender: from, encrypted, ...rest } = row
    const [owner, datatokens] = await Promise.all([
      nft(chainId, row.nft),
      rows<IndexedDatatoken & { orders: number }>(DATATOKENS_OF({ chainId, nft: row.nft })),
    ])
    return owner && { chainId, nft: owner, datatokens, metadata: { ...rest, txId, from, encrypted: encrypted !== 0 } }
  }

  return {
    lead: (chainId) => db.lead(`index of chain ${chainId}`),
    cursor: async (chainId) => (await rows<Cursor>(CURSOR({ chainId })))[0],
    chains: async () => (await rows<{ chain_id: number }>(CHAINS())).map((row) => row.chain_id),
    commit: (batch) => db.transact(commit(batch)),
    checkpoints: (chainId) => rows<Cursor>(CHECKPOINTS({ chainId })),
    rollback: (chainId, to) => db.transact(rollback(chainId, to)),
    reset: (chainId) => db.transact(reset(chainId)),
    nft,
    datatoken: async (chainId, address) => (await rows<IndexedDatatoken>(FIND_DATATOKEN({ chainId, address })))[0],
    known: (chainId, kind, addresses) =>
      addresses.length === 0 ? Promise.resolve([]) : addressesOf(EMITTERS[kind].known(chainId, addresses)),
    emitters: (chainId, kind, after = '0x', limit) => addressesOf(EMITTERS[kind].after(chainId, after, limit)),
    asset,
  }
}
