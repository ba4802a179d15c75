import type { Address } from 'viem'
import type { Dialect } from '../dialect.js'
import { attempt, run } from '../script.js'
import { type Driver, type Query, type Script, sql, sqlOne, type Value } from '../sql.js'
import type {
  Cursor,
  IndexBatch,
  IndexChange,
  IndexedAsset,
  IndexedDatatoken,
  IndexGeneration,
  IndexStore,
} from '../store.js'
import { assetOf, nftOf } from './assets.js'
import { fallbackFor, queryFor } from './changes.js'
import {
  abandon,
  begin,
  generationId,
  generationsFrom,
  generationToWrite,
  idSubquery,
  listGenerations,
  promote,
  sweep,
} from './generations.js'
import { refresh, refreshAll, touch, touchedAfter } from './search.js'
import { pruneUndo, saveUndo, undoAfter } from './undo.js'

// in statements that write, :chainId is the id of a generation; see generations.ts
const CHAINS = sql("SELECT chain_id FROM index_reading WHERE role = 'live' ORDER BY chain_id")
const FIRST_CURSOR = sql(
  'INSERT INTO index_cursor (chain_id, block, hash) VALUES (:chainId, :block, :hash) ON CONFLICT DO NOTHING',
)
// locks the row until the end of the transaction, so that of two concurrent instances one fails
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
const LIVE_NFT = sqlOne(`${FIND_NFT} WHERE chain_id = ${idSubquery('live')} AND address = :address`)
const LIVE_DATATOKEN = sqlOne(
  `SELECT address, nft, name, symbol FROM index_datatoken
   WHERE chain_id = ${idSubquery('live')} AND address = :address`,
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

/** Queries on the generations of each role. */
const ASKED = { live: questionsTo('live'), next: questionsTo('next') }

function questionsTo(role: 'live' | 'next') {
  return {
    cursor: sqlOne(`SELECT block, hash FROM index_cursor WHERE chain_id = ${idSubquery(role)}`),
    checkpoints: sql(
      `SELECT block, hash FROM index_checkpoint WHERE chain_id = ${idSubquery(role)} ORDER BY block DESC`,
    ),
    nft: emittersIn('index_nft', role),
    datatoken: emittersIn('index_datatoken', role),
  }
}

/** Returns the statements for the addresses in a table. */
function emittersIn(table: string, role: 'live' | 'next') {
  const select = `SELECT address FROM ${table} WHERE chain_id = ${idSubquery(role, '?')}`
  return {
    // padded to full hundreds, so that there are a few statements instead of one for each count
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

function* commit(role: 'live' | 'next', { chainId: chain, ...batch }: IndexBatch, dialect: Dialect): Script<boolean> {
  const { from, to, changes, undoSince, onUnstorable } = batch
  const chainId = yield* generationToWrite(chain, role)
  if (chainId === undefined) return false
  const move = from
    ? NEXT_CURSOR({ chainId, ...to, fromBlock: from.block, fromHash: from.hash })
    : FIRST_CURSOR({ chainId, ...to })
  if ((yield* run(move)).changes !== 1) return false
  const make = function* (change: IndexChange, kept: Set<string>): Script<void> {
    if (undoSince !== undefined) yield* saveUndo(chainId, to.block, change, kept)
    yield* run(queryFor(chainId, change))
  }
  const kept = new Set<string>()
  for (const change of changes) {
    if (!onUnstorable) yield* make(change, kept)
    // the rollback of the savepoint also discards the saved undo rows
    else if (!(yield* attempt(() => make(change, new Set())))) {
      onUnstorable(change)
      const lesser = fallbackFor(change)
      if (lesser) yield* attempt(() => make(lesser, new Set()))
    }
  }
  yield* refresh(chainId, changes, dialect, onUnstorable !== undefined)
  if (changes.length > 0) yield* touch(chainId)
  // a batch without undo rows cannot be rolled back, so earlier checkpoints are void
  const base = undoSince === undefined ? to.block : yield* checkpointAt(chainId, undoSince)
  if (base !== undefined) {
    yield* run(DROP_CHECKPOINTS({ chainId, block: base }))
    yield* pruneUndo(chainId, base)
  }
  yield* run(CHECKPOINT({ chainId, ...to }))
  return true
}

function* checkpointAt(chainId: number, block: number): Script<number | undefined> {
  return (yield* run(CHECKPOINT_AT({ chainId, block }))).rows[0]?.block as number | undefined
}

function* rollback(role: 'live' | 'next', chain: number, to: Cursor, dialect: Dialect): Script<void> {
  const chainId = yield* generationId(chain, role)
  if (chainId === undefined) return
  yield* run(SET_CURSOR({ chainId, ...to }))
  const touched = yield* touchedAfter(chainId, to.block)
  yield* undoAfter(chainId, to.block)
  yield* refreshAll(chainId, touched, dialect)
  yield* touch(chainId)
  yield* run(DROP_LATER_CHECKPOINTS({ chainId, block: to.block }))
}

/** Creates the store of the index tables. */
export function indexStore(db: Driver): IndexStore {
  const rows = async <T>(query: Query) => (await db.query(query)).rows as T[]
  const nft = async (query: Query) => {
    const [row] = (await db.query(query)).rows
    return row && nftOf(row)
  }

  const addressesOf = async (query: Query) => (await rows<{ address: Address }>(query)).map(({ address }) => address)

  async function asset(did: string): Promise<IndexedAsset | undefined> {
    const [row] = (await db.query(ASSET({ did }))).rows
    if (!row) return undefined
    const { reading, chain_id: chainId } = row
    const [[owner], datatokens] = await Promise.all([
      rows<Record<string, Value>>(NFT_IN({ reading, address: row.nft })),
      rows<Record<string, Value>>(DATATOKENS_OF({ reading, nft: row.nft })),
    ])
    return owner && assetOf(chainId as number, row, owner, datatokens)
  }

  const reading = (role: 'live' | 'next'): IndexGeneration => ({
    dialect: db.dialect,
    cursor: async (chainId) => (await rows<Cursor>(ASKED[role].cursor({ chainId })))[0],
    commit: (batch) => db.transact(commit(role, batch, db.dialect)),
    checkpoints: (chainId) => rows<Cursor>(ASKED[role].checkpoints({ chainId })),
    rollback: (chainId, to) => db.transact(rollback(role, chainId, to, db.dialect)),
    known: (chainId, kind, addresses) =>
      addresses.length === 0 ? Promise.resolve([]) : addressesOf(ASKED[role][kind].known(chainId, addresses)),
    emitters: (chainId, kind, after = '0x', limit) => addressesOf(ASKED[role][kind].after(chainId, after, limit)),
  })

  return {
    ...reading('live'),
    next: reading('next'),
    tryLead: (chainId) => db.tryLead(`index of chain ${chainId}`),
    chains: async () => (await rows<{ chain_id: number }>(CHAINS())).map((row) => row.chain_id),
    generations: async (chainId) => generationsFrom(await rows(listGenerations({ chainId }))),
    begin: (chainId, wanted) => db.transact(begin(chainId, wanted)),
    abandon: (chainId) => db.transact(abandon(chainId, 'next')),
    promote: (chainId, at) => db.transact(promote(chainId, at)),
    sweep: (chainId) => db.transact(sweep(chainId, db.dialect)),
    nft: (chainId, address) => nft(LIVE_NFT({ chainId, address })),
    datatoken: async (chainId, address) => (await rows<IndexedDatatoken>(LIVE_DATATOKEN({ chainId, address })))[0],
    asset,
  }
}
