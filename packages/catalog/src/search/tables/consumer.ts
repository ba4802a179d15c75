import { type Dialect, run, type Script, sql } from '@tidegate/database'
import type { Address } from 'viem'
import type { IndexConsumer, PreparedRows } from '../../index/index-consumer.js'
import type { IndexChange } from '../../index/index-store.js'
import { among } from '../../index/tables/assets.js'
import { offerKey } from '../../index/tables/offers.js'
import { rewrite, rewriteIfStorable } from './document-rows.js'
import { updateOrders, updatePrices } from './numbers.js'

const NFT_OF = sql('SELECT nft FROM index_datatoken WHERE chain_id = :generation AND address = :datatoken')
const NFTS_OF = 'SELECT nft FROM index_datatoken WHERE chain_id = ? AND address IN '
/** Datatokens per statement. */
const AT_ONCE = 50
const NFT_OF_OFFER = sql('SELECT nft FROM index_offer WHERE chain_id = :generation AND id = :id')

/** Returns search as a consumer of the index. */
export function searchConsumer(dialect: Dialect): IndexConsumer {
  return {
    applied: (generation, changes, skipUnstorable) => applied(generation, changes, dialect, skipUnstorable),
    *undone(generation, nfts) {
      yield* rewrite(generation, nfts, dialect)
    },
    *sweep(generation, count) {
      let deleted = 0
      for (const statement of SWEEPS[dialect]) deleted += (yield* run(statement({ generation, count }))).changes
      return deleted
    },
  }
}

const SWEEPS = { sqlite: sweeps('rowid'), postgres: sweeps('id') }

function sweeps(textId: 'rowid' | 'id') {
  const some = 'SELECT id FROM search_document WHERE chain_id = :generation ORDER BY id LIMIT :count'
  return [
    sql(`DELETE FROM search_value WHERE doc IN (${some})`),
    sql(`DELETE FROM search_text WHERE ${textId} IN (${some})`),
    sql(`DELETE FROM search_document WHERE id IN (${some})`),
    sql('DELETE FROM search_pending WHERE chain_id = :generation'),
  ]
}

/** Updates the rows of all changed documents. Orders and offers change only values, not the row in the full-text index. */
function* applied(
  generation: number,
  changes: readonly IndexChange[],
  dialect: Dialect,
  skipUnstorable: boolean,
): Script<void> {
  const changed = new Set<Address>()
  const offered = new Set<Address>()
  const datatokens = new Set<Address>()
  for (const change of changes) {
    if (change.kind === 'order') {
      datatokens.add(change.datatoken)
      continue
    }
    const nft = yield* nftOf(generation, change)
    if (nft === undefined) continue
    if (change.kind === 'offer' || change.kind === 'rate' || change.kind === 'activity') offered.add(nft)
    else changed.add(nft)
  }
  if (skipUnstorable) for (const nft of changed) yield* rewriteIfStorable(generation, nft, dialect)
  else yield* rewrite(generation, changed, dialect, preparedBy(changes))
  const ordered = (yield* nftsOf(generation, [...datatokens])).filter((nft) => !changed.has(nft))
  yield* updateOrders(generation, ordered)
  for (const nft of offered) if (!changed.has(nft)) yield* updatePrices(generation, nft, dialect)
}

/** Returns the NFTs of datatokens. */
function* nftsOf(generation: number, datatokens: string[]): Script<Address[]> {
  const nfts = new Set<Address>()
  for (let at = 0; at < datatokens.length; at += AT_ONCE)
    for (const { nft } of (yield* run(among(NFTS_OF, datatokens.slice(at, at + AT_ONCE), [generation]))).rows)
      nfts.add(nft as Address)
  return [...nfts]
}

/** Returns the prepared rows of changes, by NFT. */
function preparedBy(changes: readonly IndexChange[]): Map<string, PreparedRows> {
  return new Map(
    changes.flatMap((one) =>
      one.kind === 'metadata' && one.prepared ? [[one.metadata.nft, one.prepared] as const] : [],
    ),
  )
}

function* nftOf(generation: number, change: IndexChange): Script<Address | undefined> {
  switch (change.kind) {
    case 'metadata':
      return change.metadata.nft
    case 'datatoken':
      return change.datatoken.nft
    case 'offer':
      return (yield* run(NFT_OF({ generation, datatoken: change.offer.datatoken }))).rows[0]?.nft as Address | undefined
    case 'rate':
    case 'activity': {
      const id = offerKey(change.market, change.offer)
      return (yield* run(NFT_OF_OFFER({ generation, id }))).rows[0]?.nft as Address | undefined
    }
    case 'nft':
    case 'order':
    case 'reuse':
    case 'market':
      return undefined
    default:
      return change.nft
  }
}
