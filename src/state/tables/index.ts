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
  IndexReading,
  IndexStep,
  IndexStore,
} from '../store.js'
import { instead, queryFor } from './changes.js'
import {
  begin,
  giveUp,
  idOf,
  listReadings,
  readingId,
  readingsFrom,
  readingToWrite,
  replace,
  sweep,
} from './readings.js'
import { forget, keep, takeBack } from './undo.js'

// in statements that change something, :chainId is the id of a reading; see readings.ts
const CHAINS = sql("SELECT chain_id FROM index_reading WHERE role = 'live' ORDER BY chain_id")
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
const CHECKPOINT_AT = sql(
  `SELECT block FROM index_checkpoint WHERE chain_id = :chainId AND block <= :block ORDER BY block DESC LIMIT 1`,
)
const DROP_CHECKPOINTS = sql('DELETE FROM index_checkpoint WHERE chain_id = :chainId AND block < :block')
const DROP_LATER_CHECKPOINTS = sql('DELETE FROM index_checkpoint WHERE chain_id = :chainId AND block > :block')
const FIND_NFT = 'SELECT address, name, symbol, token_uri, owner, created FROM index_nft'
const NFT_IN = sqlOne(`${FIND_NFT} WHERE chain_id = :reading AND address = :address`)
const LIVE_NFT = sqlOne(`${FIND_NFT} WHERE chain_id = ${idOf('live')} AND address = :address`)
const LIVE_DATATOKEN = sqlOne(
  `SELECT address, nft, name, symbol FROM index_datatoken
   WHERE chain_id = ${idOf('live')} AND address = :address`,
)
const DATATOKENS_OF = sql(
  `SELECT address, nft, name, symbol, orders FROM index_datatoken
   WHERE chain_id = :reading AND nft = :nft ORDER BY position`,
)
const ASSET = sqlOne(
  `SELECT r.id AS reading, r.chain_id, a.nft, a.did, a.state, a.ddo, a.reason, a.encrypted, a.tx_id, a.block,
     a.sender, a.timestamp
   FROM index_asset a JOIN index_reading r ON r.id = a.chain_id AND r.role = 'live' WHERE a.did = :did`,
)

/** What is asked of the readings of one role. */
const ASKED = { live: questionsTo('live'), next: questionsTo('next') }

function questionsTo(role: 'live' | 'next') {
  return {
    cursor: sqlOne(`SELECT block, hash FROM index_cursor WHERE chain_id = ${idOf(role)}`),
    checkpoints: sql(`SELECT block, hash FROM index_checkpoint WHERE chain_id = ${idOf(role)} ORDER BY block DESC`),
    nft: emittersIn('index_nft', role),
    datatoken: emittersIn('index_datatoken', role),
  }
}

/** Statements for the addresses of a table. */
function emittersIn(table: string, role: 'live' | 'next') {
  const select = `SELECT address FROM ${table} WHERE chain_id = ${idOf(role, '?')}`
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

function* commit(role: 'live' | 'next', { chainId: chain, ...batch }: IndexStep): Script<boolean> {
  const { from, to, changes, keepSince, leaveOut } = batch
  const chainId = yield* readingToWrite(chain, role)
  if (chainId === undefined) return false
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

function* rollback(role: 'live' | 'next', chain: number, to: Cursor): Script<void> {
  const chainId = yield* readingId(chain, role)
  if (chainId === undefined) return
  yield* step(SET_CURSOR({ chainId, ...to }))
  yield* takeBack(chainId, to.block)
  yield* step(DROP_LATER_CHECKPOINTS({ chainId, block: to.block }))
}

/** A row of index_asset. */
interface AssetRow extends Omit<IndexedMetadata, 'txId' | 'from' | 'encrypted'> {
  reading: number
  chain_id: number
  tx_id: IndexedMetadata['txId']
  sender: IndexedMetadata['from']
  encrypted: number
}

/** The index tables. */
export function indexStore(db: Driver): IndexStore {
  const rows = async <T>(query: Query) => (await db.query(query)).rows as T[]
  const nft = async (query: Query) => {
    const [row] = await rows<IndexedNft & { token_uri: string }>(query)
    if (!row) return undefined
    const { name, symbol, owner, created, token_uri: tokenUri } = row
    return { address: row.address, name, symbol, tokenUri, owner, created }
  }

  const addressesOf = async (query: Query) => (await rows<{ address: Address }>(query)).map(({ address }) => address)

  async function asset(did: string): Promise<IndexedAsset | undefined> {
    const [row] = await rows<AssetRow>(ASSET({ did }))
    if (!row) return undefined
    const { reading, chain_id: chainId, tx_id: txId, sender: from, encrypted, ...rest } = row
    const [owner, datatokens] = await Promise.all([
      nft(NFT_IN({ reading, address: row.nft })),
      rows<IndexedDatatoken & { orders: number }>(DATATOKENS_OF({ reading, nft: row.nft })),
    ])
    return owner && { chainId, nft: owner, datatokens, metadata: { ...rest, txId, from, encrypted: encrypted !== 0 } }
  }

  const reading = (role: 'live' | 'next'): IndexReading => ({
    cursor: async (chainId) => (await rows<Cursor>(ASKED[role].cursor({ chainId })))[0],
    commit: (batch) => db.transact(commit(role, batch)),
    checkpoints: (chainId) => rows<Cursor>(ASKED[role].checkpoints({ chainId })),
    rollback: (chainId, to) => db.transact(rollback(role, chainId, to)),
    known: (chainId, kind, addresses) =>
      addresses.length === 0 ? Promise.resolve([]) : addressesOf(ASKED[role][kind].known(chainId, addresses)),
    emitters: (chainId, kind, after = '0x', limit) => addressesOf(ASKED[role][kind].after(chainId, after, limit)),
  })

  return {
    ...reading('live'),
    next: reading('next'),
    lead: (chainId) => db.lead(`index of chain ${chainId}`),
    chains: async () => (await rows<{ chain_id: number }>(CHAINS())).map((row) => row.chain_id),
    readings: async (chainId) => readingsFrom(await rows(listReadings({ chainId }))),
    begin: (chainId, wanted) => db.transact(begin(chainId, wanted)),
    giveUp: (chainId) => db.transact(giveUp(chainId)),
    replace: (chainId, at) => db.transact(replace(chainId, at)),
    sweep: (chainId) => db.transact(sweep(chainId)),
    nft: (chainId, address) => nft(LIVE_NFT({ chainId, address })),
    datatoken: async (chainId, address) => (await rows<IndexedDatatoken>(LIVE_DATATOKEN({ chainId, address })))[0],
    asset,
  }
}
