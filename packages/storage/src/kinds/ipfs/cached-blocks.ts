import type { BlockCache } from '../../cache/block-cache.js'
import type { BlockSource } from './block-source.js'
import { type Block, bytesOf, IDENTITY, inlineBlock, type Link, matches, verifiedBlock } from './blocks.js'
import { gatewayFailure } from './gateway-failure.js'
import type { Upcoming } from './upcoming.js'

/** Links after a missing block that must be cached for it to be fetched alone. */
const GAP = 4

/** Blocks from the cache. Fetches a single missing block; fails if more are missing, so that a gateway sends the rest. */
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
    // not for the root: without it the following links are unknown
    if (this.found && (await this.continues(upcoming))) return this.single.block(link, upcoming)
    throw gatewayFailure('absent', 'cannot be reached', 'unreachable')
  }

  /** Whether the next blocks are cached. */
  private async continues(upcoming: Upcoming): Promise<boolean> {
    const links = upcoming.next(GAP)
    const cached = await Promise.all(links.map(({ cid }) => this.cache.has(cid.multihash.bytes)))
    return links.length > 0 && cached.every((is) => is)
  }
}

/** Stores the verified blocks of another source in the cache. */
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
