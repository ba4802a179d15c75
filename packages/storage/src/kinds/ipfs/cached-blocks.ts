import { StorageError } from '@tidegate/protocol'
import type { BlockCache } from '../../cache/block-cache.js'
import type { BlockSource } from './block-source.js'
import { type Block, bytesOf, IDENTITY, inlineBlock, type Link, matches, verifiedBlock } from './blocks.js'
import { GatewayFailure } from './gateway-failure.js'
import type { Upcoming } from './upcoming.js'

/** Links after a missing block that are looked for: if they are cached, the block alone is fetched. */
const GAP = 4

/** Blocks from the cache. Fails if more than a single block is missing, so that a gateway sends the rest at once. */
export class CachedBlocks implements BlockSource {
  private found = false

  constructor(
    private readonly cache: BlockCache,
    private readonly single: BlockSource,
  ) {}

  async block(link: Link, upcoming: Upcoming): Promise<Block> {
    const { cid } = link
    const inline = await inlineBlock(cid)
    if (inline) return inline
    const bytes = await this.cache.get(cid.multihash.bytes, (read) => matches(cid.multihash, read))
    if (bytes) {
      this.found = true
      return verifiedBlock(bytes)
    }
    // the tree of a file begins with a block that leads to all others
    if (this.found && (await this.continues(upcoming))) return this.single.block(link, upcoming)
    throw new GatewayFailure(
      'absent',
      new StorageError('STORAGE_REFUSED', 'The file cannot be reached.', 'unreachable'),
    )
  }

  /** Whether the next blocks are cached. */
  private async continues(upcoming: Upcoming): Promise<boolean> {
    const links = upcoming.next(GAP)
    const cached = await Promise.all(links.map(({ cid }) => this.cache.has(cid.multihash.bytes)))
    return links.length > 0 && cached.every((is) => is)
  }
}

/** Stores the blocks of another source in the cache, once they are verified. */
export class StoringBlocks implements BlockSource {
  constructor(
    private readonly cache: BlockCache,
    private readonly source: BlockSource,
  ) {}

  async block(link: Link, upcoming: Upcoming): Promise<Block> {
    const block = await this.source.block(link, upcoming)
    const { multihash } = link.cid
    if (multihash.code !== IDENTITY)
      block.verified.then(
        () => this.cache.put(multihash.bytes, bytesOf(block)),
        () => undefined,
      )
    return block
  }

  async finish(): Promise<void> {
    await this.source.finish?.()
  }

  close(): void {
    this.source.close?.()
  }
}
