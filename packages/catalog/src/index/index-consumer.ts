import type { Script } from '@tidegate/database'
import type { IndexedAsset } from '@tidegate/protocol'
import type { Address } from 'viem'
import type { IndexChange } from './index-store.js'

/**
 * A module whose rows follow the index, such as search. Each script runs in the transaction that writes the index, so both are
 * consistent. `generation`: the id of a generation.
 */
export interface IndexConsumer {
  /** Follows committed changes. `skipUnstorable`: omits rows that cannot be stored instead of failing. */
  applied(generation: number, changes: readonly IndexChange[], skipUnstorable: boolean): Script<void>
  /** Follows a rollback that has restored the index rows of these NFTs. */
  undone(generation: number, nfts: ReadonlySet<Address>): Script<void>
  /** Deletes the rows of at most `count` assets of an obsolete generation. Returns the number of deleted rows. */
  sweep(generation: number, count: number): Script<number>
}

/** Rows that a consumer prepared before the asset was indexed. Valid only if the indexed asset equals `asset`. */
export interface PreparedRows {
  asset: IndexedAsset
  /** The consumer's rows as JSON, which is fast to send between threads. Undefined if the asset has none. */
  rows: string | undefined
}
