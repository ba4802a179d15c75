import { type Query, sql } from '../sql.js'
import type { IndexChange } from '../store.js'

const NFT = sql(
  `INSERT INTO index_nft (chain_id, address, name, symbol, token_uri, owner, created)
   VALUES (:chainId, :address, :name, :symbol, :tokenUri, :owner, :created) ON CONFLICT DO NOTHING`,
)
const DATATOKEN = sql(
  `INSERT INTO index_datatoken (chain_id, address, nft, name, symbol, position)
   SELECT CAST(:chainId AS BIGINT), :address, :nft, :name, :symbol,
     (SELECT count(*) FROM index_datatoken WHERE chain_id = :chainId AND nft = :nft)
   WHERE true ON CONFLICT DO NOTHING`,
)
const METADATA = sql(
  `INSERT INTO index_asset (did, chain_id, nft, state, ddo, reason, encrypted, tx_id, block, sender, timestamp)
   VALUES (:did, :chainId, :nft, :state, :ddo, :reason, :isEncrypted, :txId, :block, :from, :timestamp)
   ON CONFLICT (chain_id, nft) DO UPDATE SET did = excluded.did, state = excluded.state, ddo = excluded.ddo,
     reason = excluded.reason, encrypted = excluded.encrypted, tx_id = excluded.tx_id, block = excluded.block,
     sender = excluded.sender, timestamp = excluded.timestamp`,
)
const STATE = sql('UPDATE index_asset SET state = :state WHERE chain_id = :chainId AND nft = :nft')
const UNREADABLE = sql('UPDATE index_asset SET ddo = NULL, reason = :reason WHERE chain_id = :chainId AND nft = :nft')
const ORDER = sql('UPDATE index_datatoken SET orders = orders + 1 WHERE chain_id = :chainId AND address = :datatoken')

/** Text that every database holds: PostgreSQL takes no U+0000, others end there, and half a character is none. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').replace(/\p{Cs}/gu, '\ufffd')
}

/** The statement of a change, with its texts as the database holds them: strangers wrote them. */
export function queryFor(chainId: number, change: IndexChange): Query {
  const query = statementFor(chainId, change)
  return { ...query, values: query.values.map((value) => (typeof value === 'string' ? storable(value) : value)) }
}

function statementFor(chainId: number, change: IndexChange): Query {
  switch (change.kind) {
    case 'nft':
      return NFT({ chainId, ...change.nft })
    case 'datatoken':
      return DATATOKEN({ chainId, ...change.datatoken })
    case 'metadata':
      return METADATA({ chainId, ...change.metadata, isEncrypted: Number(change.metadata.encrypted) })
    case 'state':
      return STATE({ chainId, nft: change.nft, state: change.state })
    case 'order':
      return ORDER({ chainId, datatoken: change.datatoken })
    case 'unreadable':
      return UNREADABLE({ chainId, nft: change.nft, reason: change.reason })
  }
}

/** What is written in place of a change that cannot be: what was there before is not true any more. */
export function instead(change: IndexChange): IndexChange | undefined {
  if (change.kind !== 'metadata' && change.kind !== 'state') return undefined
  const nft = change.kind === 'metadata' ? change.metadata.nft : change.nft
  return { kind: 'unreadable', nft, reason: 'cannot be stored' }
}
