import { CHAIN_LIMITS } from '@tidegate/chain'
import { packed, run, type Script, sql, unpacked, unpackedLength, type Value } from '@tidegate/database'
import type { Address } from 'viem'
import { CATALOG_LIMITS } from '../../limits.js'
import type { IndexChange } from '../index-store.js'
import { keyOfOffer, offerKey } from './offers.js'

/** Table and key column by kind of row. */
const ROWS = {
  nft: ['index_nft', 'address'],
  datatoken: ['index_datatoken', 'address'],
  asset: ['index_asset', 'nft'],
  market: ['index_market', 'address'],
  offer: ['index_offer', 'id'],
} as const

export const { packed: PACKED_OVER } = CATALOG_LIMITS.index

export type RowKind = keyof typeof ROWS

const KEEP = sql(
  `INSERT INTO index_undo (chain_id, block, kind, id, before) VALUES (:chainId, :block, :kind, :id, :before)
   ON CONFLICT DO NOTHING`,
)
const OLDEST_LATER = sql(
  `SELECT kind, id, min(block) AS block FROM index_undo WHERE chain_id = :chainId AND block > :block
   GROUP BY kind, id ORDER BY kind, id LIMIT :most`,
)
const BEFORE = sql(
  'SELECT before FROM index_undo WHERE chain_id = :chainId AND kind = :kind AND id = :id AND block = :block',
)
const DROP_LATER = sql(
  'DELETE FROM index_undo WHERE chain_id = :chainId AND kind = :kind AND id = :id AND block > :block',
)
const NFT_OF = {
  datatoken: sql('SELECT nft FROM index_datatoken WHERE chain_id = :chainId AND address = :id'),
  offer: sql('SELECT nft FROM index_offer WHERE chain_id = :chainId AND id = :id'),
}
const DROP_OLD = sql('DELETE FROM index_undo WHERE chain_id = :chainId AND block <= :block')

function of(kind: RowKind, verb: 'SELECT *' | 'DELETE') {
  const [table, key] = ROWS[kind]
  return sql(`${verb} FROM ${table} WHERE chain_id = :chainId AND ${key} = :id`)
}
const forEachKind = (verb: 'SELECT *' | 'DELETE') => ({
  nft: of('nft', verb),
  datatoken: of('datatoken', verb),
  asset: of('asset', verb),
  market: of('market', verb),
  offer: of('offer', verb),
})
const FIND = forEachKind('SELECT *')
const DROP = forEachKind('DELETE')

/** Saves the row that a change will modify, once per batch: `saved` lists the saved rows. `block`: the end of the batch. */
export function* saveUndo(chainId: number, block: number, change: IndexChange, saved: Set<string>): Script<void> {
  const changed = rowOf(change)
  // a reuse only adds a row, which a rollback drops by its block
  if (!changed) return
  const [kind, id] = changed
  const row = `${kind} ${id}`
  if (saved.has(row)) return
  const [before] = (yield* run(FIND[kind]({ chainId, id }))).rows
  const text = before ? packed(JSON.stringify(before), PACKED_OVER) : null
  yield* run({ ...KEEP({ chainId, block, kind, id, before: text }), isFixed: true })
  saved.add(row)
}

/** Restores some rows that were modified after `block`. Returns their NFTs, or undefined if no row is left. */
export function* restoreSome(chainId: number, block: number): Script<Set<Address> | undefined> {
  const { rows: more, characters } = CHAIN_LIMITS.chain.restored
  const found = (yield* run(OLDEST_LATER({ chainId, block, most: more }))).rows
  if (found.length === 0) return undefined
  const nfts = new Set<Address>()
  let size = 0
  for (const { kind, id, block: at } of found as { kind: RowKind; id: string; block: number }[]) {
    const row = yield* restore(chainId, kind, id, at)
    const nft = kind === 'nft' || kind === 'asset' ? id : (row.after ?? row.before)?.nft
    if (nft) nfts.add(nft as Address)
    yield* run(DROP_LATER({ chainId, kind, id, block }))
    size += unpackedLength(String(row.after?.ddo ?? ''))
    if (size > characters) break
  }
  return nfts
}

/** Restores one row. Returns the replaced and the restored row. */
function* restore(chainId: number, kind: RowKind, id: string, block: number) {
  const saved = (yield* run(BEFORE({ chainId, kind, id, block }))).rows[0]?.before as string | null
  const before =
    kind === 'datatoken' || kind === 'offer' ? (yield* run(NFT_OF[kind]({ chainId, id }))).rows[0] : undefined
  yield* run(DROP[kind]({ chainId, id }))
  if (saved === null) return { before, after: undefined }
  const after = JSON.parse(unpacked(saved)) as Record<string, Value>
  yield* run(insertion(ROWS[kind][0], after))
  return { before, after }
}

/** Deletes the undo rows of batches that ended at `block` or before. */
export function* pruneUndo(chainId: number, block: number): Script<void> {
  yield* run(DROP_OLD({ chainId, block }))
}

function insertion(table: string, row: Record<string, Value>) {
  const columns = Object.keys(row)
  return sql(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `:${name}`).join(', ')})`)(
    row,
  )
}

function rowOf(change: IndexChange): [kind: RowKind, id: string] | undefined {
  switch (change.kind) {
    case 'nft':
      return ['nft', change.nft.address]
    case 'datatoken':
      return ['datatoken', change.datatoken.address]
    case 'metadata':
      return ['asset', change.metadata.nft]
    case 'state':
    case 'unreadable':
      return ['asset', change.nft]
    case 'order':
      return ['datatoken', change.datatoken]
    case 'market':
      return ['market', change.market]
    case 'offer':
      return ['offer', keyOfOffer(change.offer)]
    case 'rate':
    case 'activity':
      return ['offer', offerKey(change.market, change.offer)]
    case 'reuse':
      return undefined
  }
}
