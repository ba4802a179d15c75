import { LRUCache } from 'lru-cache'
import * as Digest from 'multiformats/hashes/digest'
import { STORAGE_LIMITS } from '../../limits.js'
import type { BlockSource } from './block-source.js'
import { type Block, type BlockHasher, hasherFor, inlineBlock, keyOf, type Link } from './blocks.js'
import type { FetchBudget } from './budget.js'
import type { CarReader, Section } from './car-reader.js'
import { type GatewayFailure, gatewayFailure } from './gateway-failure.js'
import type { Upcoming } from './upcoming.js'

/** Share of unneeded bytes that a CAR may have, in addition to STORAGE_LIMITS.ipfs.unwanted. */
const UNWANTED_SHARE = 0.05

export interface CarTools {
  budget: FetchBudget
  /** Fetches a block alone. */
  single: BlockSource
  /** Whether the gateway repeats blocks that occur several times. */
  repeats: boolean
  close(): void
}

/**
 * The blocks of one CAR, in the order of the file. Holds early blocks up to a limit, and fetches a late block alone. Skips blocks
 * that the file does not need, but gives up a CAR with more than a few of them: it is of another file.
 */
export class CarBlocks implements BlockSource {
  private readonly held: LRUCache<string, Block>
  /** Bytes of needed, unneeded, and reused blocks. */
  private useful = 0
  private wasted = 0
  private spared = 0

  constructor(
    private readonly reader: CarReader,
    private readonly tools: CarTools,
  ) {
    this.held = new LRUCache({
      maxSize: STORAGE_LIMITS.ipfs.held,
      sizeCalculation: ({ length }) => costOf(length),
    })
  }

  async block(link: Link, upcoming: Upcoming): Promise<Block> {
    const inline = await inlineBlock(link.cid)
    if (inline) return inline
    const key = keyOf(link.cid.multihash.bytes)
    const held = this.held.get(key)
    if (held) return this.reused(key, held)
    // `early`: bytes of blocks before this one
    for (let early = 0; early < STORAGE_LIMITS.ipfs.held; ) {
      const section = await this.section()
      if (!section) throw cutOff()
      const found = keyOf(section.multihash)
      if (found === key) return this.read(section, link.longest)
      if (this.held.has(found) || !upcoming.has(found)) {
        await this.skip(section)
        continue
      }
      this.held.set(found, await this.read(section, STORAGE_LIMITS.ipfs.block))
      early += costOf(section.length)
    }
    return this.tools.single.block(link, upcoming)
  }

  /** Reads to the end, so that the connection can be reused. */
  async finish(): Promise<void> {
    while (true) {
      const section = await this.section()
      if (!section) return
      await this.skip(section)
    }
  }

  close(): void {
    this.held.clear()
    this.tools.close()
  }

  private async section(): Promise<Section | undefined> {
    return this.reader.section().catch(() => {
      throw cutOff()
    })
  }

  private async read({ multihash, length }: Section, longest: number): Promise<Block> {
    if (length > longest) throw failure('has a block that is too large')
    this.tools.budget.spend(costOf(length))
    this.useful += length
    const hasher = hasherFor(Digest.decode(multihash))
    const pieces = await this.reader.read(length, hasher).catch(() => {
      throw cutOff()
    })
    const block = { pieces, length, verified: verified(hasher) }
    block.verified.catch(() => undefined) // the reader may leave before it awaits this block
    if (!this.tools.repeats) this.held.set(keyOf(multihash), block)
    return block
  }

  /** Skips an unneeded or repeated block. */
  private async skip({ length }: Section): Promise<void> {
    this.wasted += costOf(length)
    if (this.wasted > STORAGE_LIMITS.ipfs.unwanted + this.useful * UNWANTED_SHARE + this.spared)
      throw failure('came with blocks that do not belong to it')
    this.tools.budget.spend(costOf(length))
    await this.reader.skip(length).catch(() => {
      throw cutOff()
    })
  }

  private reused(key: string, block: Block): Block {
    if (this.tools.repeats) this.held.delete(key)
    else this.spared += block.length
    return block
  }
}

async function verified(hasher: BlockHasher | undefined): Promise<void> {
  if (!hasher?.matches()) throw failure('does not match its CID')
}

/** Returns the charged bytes of a block. Small blocks are charged a minimum, which limits their number. */
function costOf(length: number): number {
  return Math.max(length, STORAGE_LIMITS.ipfs.minBlockCost)
}

function cutOff(): GatewayFailure {
  return failure('was cut off')
}

function failure(predicate: string): GatewayFailure {
  return gatewayFailure('broken', predicate)
}
