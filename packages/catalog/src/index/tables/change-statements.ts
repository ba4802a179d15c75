import { packed, type Query, sql } from '@tidegate/database'
import { LASTING_REASONS } from '@tidegate/protocol'
import type { IndexChange } from '../index-store.js'
import { insertMarket, insertOffer, offerKey, setActive, setPrice } from './offers.js'
import { insertOrders, insertReuse } from './orders.js'
import { PACKED_OVER } from './undo.js'

const NFT = sql(
  `INSERT INTO index_nft (chain_id, address, name, symbol, token_uri, owner, created)
   VALUES (:chainId, :address, :name, :symbol, :tokenUri, :owner, :created) ON CONFLICT DO NOTHING`,
)
const DATATOKEN = sql(
  `INSERT INTO index_datatoken (chain_id, address, nft, name, symbol, position)
   SELECT CAST(:chainId AS BIGINT), :address, :nft, :name, :symbol,
     (SELECT coalesce(max(position) + 1, 0) FROM index_datatoken WHERE chain_id = :chainId AND nft = :nft)
   WHERE true ON CONFLICT DO NOTHING`,
)
const METADATA = sql(
  `INSERT INTO index_asset (did, chain_id, nft, state, ddo, reason, encrypted, tx_id, block, sender, timestamp, services,
     size)
   VALUES (:did, :chainId, :nft, :state, :ddo, :reason, :isEncrypted, :txId, :block, :from, :timestamp, :services,
     :size)
   ON CONFLICT (chain_id, nft) DO UPDATE SET did = excluded.did, state = excluded.state, ddo = excluded.ddo,
     reason = excluded.reason, encrypted = excluded.encrypted, tx_id = excluded.tx_id, block = excluded.block,
     sender = excluded.sender, timestamp = excluded.timestamp, services = excluded.services,
     size = excluded.size`,
)
const STATE = sql('UPDATE index_asset SET state = :state WHERE chain_id = :chainId AND nft = :nft')
const UNREADABLE = sql(
  'UPDATE index_asset SET ddo = NULL, size = NULL, services = NULL, reason = :reason WHERE chain_id = :chainId AND nft = :nft',
)

/** Makes text storable: PostgreSQL rejects U+0000, others truncate there, and lone surrogates are not UTF-8. */
export function storable(text: string): string {
  // split and join, which is fast for megabytes
  const printable = text.includes('\0') ? text.split('\0').join('\ufffd') : text
  return /\p{Cs}/u.test(printable) ? Buffer.from(printable).toString() : printable
}

/** Returns the statements of a group of changes (`groupsOf`). Their texts are untrusted, so they are made storable first. */
export function queriesFor(chainId: number, changes: readonly IndexChange[]): Query[] {
  const orders = changes.filter((change) => change.kind === 'order')
  const queries =
    orders.length > 1 ? insertOrders(chainId, orders) : changes.flatMap((change) => statementFor(chainId, change))
  return queries.map((query) => ({
    ...query,
    isFixed: true,
    values: query.values.map((value) => (typeof value === 'string' ? storable(value) : value)),
  }))
}

function statementFor(chainId: number, change: IndexChange): Query | Query[] {
  switch (change.kind) {
    case 'nft':
      return NFT({ chainId, ...change.nft })
    case 'datatoken':
      return DATATOKEN({ chainId, ...change.datatoken })
    case 'metadata':
      return METADATA({
        chainId,
        ...change.metadata,
        ...storedDocument(change.metadata.ddo),
        isEncrypted: Number(change.metadata.encrypted),
        services: change.services ?? null,
      })
    case 'state':
      return STATE({ chainId, nft: change.nft, state: change.state })
    case 'order':
      return insertOrders(chainId, [change])
    case 'reuse':
      return insertReuse(chainId, change.datatoken, change.order)
    case 'market':
      return insertMarket(chainId, change.market, change.block)
    case 'offer':
      return insertOffer(chainId, change.offer)
    case 'rate':
      return setPrice(chainId, offerKey(change.market, change.offer), change.price)
    case 'activity':
      return setActive(chainId, offerKey(change.market, change.offer), change.isActive)
    case 'unreadable':
      return UNREADABLE({ chainId, nft: change.nft, reason: change.reason })
  }
}

function storedDocument(text: string | null): { ddo: string | null; size: number | null } {
  if (text === null) return { ddo: null, size: null }
  const plain = storable(text)
  return { ddo: packed(plain, PACKED_OVER), size: Buffer.byteLength(plain) }
}

/** Returns the replacement of an unstorable change, which marks the stale row; undefined if no row becomes stale. */
export function fallbackFor(change: IndexChange): IndexChange | undefined {
  if (change.kind !== 'metadata' && change.kind !== 'state') return undefined
  const nft = change.kind === 'metadata' ? change.metadata.nft : change.nft
  return { kind: 'unreadable', nft, reason: LASTING_REASONS.unstorable }
}
