import type { Script } from '@tidegate/database'
import type { IndexedAsset } from '@tidegate/protocol'
import type { Address } from 'viem'
import type { IndexChange } from './index-store.js'

/**
 * A room whose rows follow those of the index, such as search. Each script runs in the transaction that writes the index, so
 * both are always of the same state. `generation` is the id of a generation.
 */
export interface IndexConsumer {
  /** Follows the changes of a committed range. `skipUnstorable`: rows that cannot be stored are left out, and fail nothing. */
  applied(generation: number, changes: readonly IndexChange[], skipUnstorable: boolean): Script<void>
  /** Follows a reorganisation: the index rows of these NFTs were restored. */
  undone(generation: number, nfts: ReadonlySet<Address>): Script<void>
  /** Deletes the rows of at most `count` assets of an obsolete generation. Returns the number of deleted rows. */
  sweep(generation: number, count: number): Script<number>
}

/** Rows that a consumer made of an asset before it was indexed. Valid only if the indexed asset equals `asset`. */
export interface PreparedRows {
  asset: IndexedAsset
  /** In the consumer's own form, as JSON, which goes from thread to thread fast. Undefined if the asset has none. */
  rows: string | undefined
}
