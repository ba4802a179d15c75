import type { Block, Link } from './blocks.js'
import type { Upcoming } from './upcoming.js'

/** A source of blocks, which are requested in their order in the file. */
export interface BlockSource {
  /**
   * Returns the block of a link. `upcoming` holds the links that follow. Rejects with GatewayFailure if another
   * source may have it, or with StorageError.
   */
  block(link: Link, upcoming: Upcoming): Promise<Block>
  /** Called when all blocks were read. */
  finish?(): Promise<void>
  /** Called when no more blocks are needed, in any state. */
  close?(): void
}
