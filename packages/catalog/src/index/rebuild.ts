import type { Chain } from '@tidegate/chain'
import type { Logger } from '@tidegate/common'
import { CATALOG_LIMITS } from '../limits.js'
import { commonAncestor, observeChain } from './chain-view.js'
import type { Cursor, Generations, IndexStore } from './index-store.js'
import { RangeSync, type SyncOptions } from './sync.js'

/** Builds a new generation of a chain's index beside the live one, and promotes it at the end. */
export class Rebuild {
  private readonly sync: RangeSync

  constructor(
    private readonly chain: Chain,
    private readonly index: IndexStore,
    options: SyncOptions & { signal: AbortSignal },
    private readonly log: Logger,
  ) {
    this.sync = new RangeSync(chain, index.next, options, log)
  }

  /**
   * Reads ranges until the head, or until the view of the chain is stale. Returns true if nothing can be read now. `unseenFor`:
   * milliseconds since the nodes last knew the cursor of the live generation.
   */
  async step({ live, next }: Generations, unseenFor: number): Promise<boolean> {
    const { chain, index } = this
    const { chainId } = chain
    if (!next) return true
    if (next.undoing && next.cursor) await index.next.rollback(chainId, next.cursor)
    const observed = await observeChain(chain, index.next, next.cursor)
    const { heads, status } = observed
    if (next.cursor && status === 'other') return this.rollBack(next.cursor, next.wanted)
    const { idle, cursor = next.cursor } = await this.sync.syncNext(next.cursor, observed, next.id)
    if (!idle) return false
    // it must have reached at least the lowest head
    if (!cursor || cursor.block < (heads.at(-1) as number)) return true
    const required = live ? await this.requiredBlock(live.cursor, next.wanted, unseenFor) : 0
    if (cursor.block < required || !(await index.promote(chainId, cursor))) return true
    this.log.warn({ chainId, block: cursor.block }, 'the rebuilt index is live')
    return false
  }

  /** Returns the block that the new generation must reach before its promotion; infinite if it must not be promoted now. */
  private async requiredBlock(live: Cursor, wanted: boolean, unseenFor: number): Promise<number> {
    // the nodes may know the live generation again: reading took its time
    const { status } = await observeChain(this.chain, this.index, live)
    if (status === 'same') return wanted ? live.block : Number.POSITIVE_INFINITY
    // the oldest checkpoint: the nodes have another block there
    if (status === 'other') return (await this.index.checkpoints(this.chain.chainId)).at(-1)?.block ?? live.block
    return wanted && unseenFor >= CATALOG_LIMITS.index.restarted ? 0 : Number.POSITIVE_INFINITY
  }

  private async rollBack(cursor: Cursor, wanted: boolean): Promise<boolean> {
    const { chain, index } = this
    const { chainId } = chain
    const ancestor = await commonAncestor(chain, await index.next.checkpoints(chainId))
    if (ancestor === undefined) return true
    if (ancestor === 'gone') {
      this.log.warn({ chainId, block: cursor.block }, 'chain history changed, restarting the rebuild')
      await index.begin(chainId, wanted)
    } else if (ancestor.block !== cursor.block) await index.next.rollback(chainId, ancestor)
    return false
  }
}
