import { CHAIN_LIMITS } from '@tidegate/chain'
import { type Dialect, run, type Script, sql } from '@tidegate/database'
import type { Address } from 'viem'
import type { IndexConsumer, PreparedRows } from '../../index/index-consumer.js'
import type { IndexChange } from '../../index/index-store.js'
import { offerKey } from '../../index/tables/offers.js'
import { updateCounts, updatePrices } from './counts.js'
import { postpone, rewrite, rewriteIfStorable } from './document-rows.js'

const NFT_OF = sql('SELECT nft FROM index_datatoken WHERE chain_id = :generation AND address = :datatoken')
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
  const ordered = new Set<Address>()
  const offered = new Set<Address>()
  const datatokens = new Set<Address>()
  for (const change of changes) {
    if (change.kind === 'order') {
      if (datatokens.has(change.datatoken)) continue
      datatokens.add(change.datatoken)
    }
    const nft = yield* nftOf(generation, change)
    if (nft === undefined) continue
    if (change.kind === 'order') ordered.add(nft)
    else if (change.kind === 'offer' || change.kind === 'rate' || change.kind === 'activity') offered.add(nft)
    else changed.add(nft)
  }
  if (skipUnstorable) for (const nft of changed) yield* rewriteIfStorable(generation, nft, dialect)
  else yield* rewrite(generation, changed, dialect, preparedBy(changes))
  let read = 0
  for (const nft of ordered) {
    if (changed.has(nft)) continue
    if (read < CHAIN_LIMITS.chain.refreshed) read += yield* updateCounts(generation, nft, dialect)
    else yield* postpone(generation, nft)
  }
  for (const nft of offered) if (!changed.has(nft)) yield* updatePrices(generation, nft, dialect)
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
    case 'order':
      return (yield* run(NFT_OF({ generation, datatoken: change.datatoken }))).rows[0]?.nft as Address | undefined
    case 'offer':
      return (yield* run(NFT_OF({ generation, datatoken: change.offer.datatoken }))).rows[0]?.nft as Address | undefined
    case 'rate':
    case 'activity': {
      const id = offerKey(change.market, change.offer)
      return (yield* run(NFT_OF_OFFER({ generation, id }))).rows[0]?.nft as Address | undefined
    }
    case 'nft':
    case 'reuse':
    case 'market':
      return undefined
    default:
      return change.nft
  }
}
