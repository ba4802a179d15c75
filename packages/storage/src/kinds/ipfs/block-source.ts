import type { Block, Link } from './blocks.js'
import type { Upcoming } from './upcoming.js'

/** A source of blocks, which are requested in the order of the file. */
export interface BlockSource {
  /** Returns the block of a link. Rejects with GatewayFailure if another source may have it, or with StorageError. */
  block(link: Link, upcoming: Upcoming): Promise<Block>
  /** Called after the last block. */
  finish?(): Promise<void>
  /** Called in any state when no more blocks are needed. */
  close?(): void
}
