import { StorageError } from '@tidegate/protocol'
import { discard, type Egress } from '../../egress/egress.js'
import { reasonOf } from '../../http/reasons.js'
import { STORAGE_LIMITS } from '../../limits.js'
import type { RequestContext } from '../../storage.js'
import type { BlockSource } from './block-source.js'
import { type Block, inlineBlock, type Link, matches, verifiedBlock } from './blocks.js'
import type { FetchBudget } from './budget.js'
import { refused } from './gateway-failure.js'
import type { Upcoming } from './upcoming.js'

const RAW_BLOCK = 'application/vnd.ipld.raw'

/** Concurrent block requests ahead of the reader. */
const READ_AHEAD = 8

/**
 * Fetches blocks one by one from trustless gateways, a few ahead. Verifies each block against its CID. If a gateway fails or
 * sends a wrong block, tries the next one.
 */
export class SingleBlocks implements BlockSource {
  /** Running fetches of upcoming links. */
  private readonly started = new Map<Link, Promise<Block>>()

  constructor(
    private readonly egress: Egress,
    private readonly gateways: readonly string[],
    private readonly budget: FetchBudget,
    /** Its signal ends the read-ahead. */
    private readonly context: RequestContext,
    private readonly readAhead = READ_AHEAD,
  ) {}

  /** Resolves with a verified block. Rejects with StorageError. */
  block(link: Link, upcoming: Upcoming): Promise<Block> {
    const block = this.start(link)
    this.started.delete(link)
    if (this.readAhead > 1) for (const ahead of upcoming.next(this.readAhead - 1)) void this.start(ahead)
    return block
  }

  private start(link: Link): Promise<Block> {
    let block = this.started.get(link)
    if (!block) {
      block = this.fetch(link)
      block.catch(() => undefined) // the reader may leave before it awaits this block
      this.started.set(link, block)
    }
    return block
  }

  private async fetch(link: Link): Promise<Block> {
    const { cid } = link
    const inline = await inlineBlock(cid)
    if (this.context.signal.aborted) throw refused('is no longer wanted')
    if (inline) return inline
    let failure: StorageError | undefined
    for (const gateway of this.gateways) {
      if (this.context.signal.aborted) throw refused('is no longer wanted')
      try {
        const bytes = await this.request(`${gateway}/ipfs/${cid}?format=raw`, link.longest)
        if (await matches(cid.multihash, bytes)) return verifiedBlock(bytes)
        failure = refused('does not match its CID')
      } catch (error) {
        if (!(error instanceof StorageError) || error.code === 'STORAGE_BUSY' || this.budget.isSpent) throw error
        failure = error
      }
    }
    throw failure ?? refused('cannot be reached', 'unreachable')
  }

  private async request(url: string, max: number): Promise<Uint8Array> {
    this.budget.spend(STORAGE_LIMITS.ipfs.minBlockCost)
    const headers = { accept: RAW_BLOCK }
    const response = await this.egress.request({ url, method: 'GET', headers, ...this.context })
    let { body } = response
    try {
      if (response.status !== 200) throw refused('was not handed out', reasonOf(response.status))
      ;({ body } = await this.egress.decoded(response, this.context.budget))
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length
        this.budget.spend(Math.min(chunk.length, Math.max(0, size - STORAGE_LIMITS.ipfs.minBlockCost)))
        if (size > max) throw refused('has a block that is too large')
        chunks.push(chunk)
      }
      return Buffer.concat(chunks)
    } catch (error) {
      throw error instanceof StorageError ? error : refused('was cut off')
    } finally {
      discard(body)
    }
  }
}
