import type { Chain } from '../../chain/chains.js'
import type { Logger } from '../../logger.js'
import type { Cursor, IndexStore, Readings } from '../../state/store.js'
import { Advance, type AdvanceOptions } from './advance.js'
import { ancestorOf, look, type Seen } from './views.js'

/**
 * Milliseconds for which no node must have known what was read before a new reading that the operator wanted replaces
 * it all the same: the chain may have been begun anew, and be shorter. Nodes that only lag come back before.
 */
const GIVEN_UP_AFTER = 60_000

/** Reads a chain again beside the live reading, which goes on to answer, and puts the new one in its place at the end. */
export class Rebuild {
  private readonly advance: Advance

  constructor(
    private readonly chain: Chain,
    private readonly index: IndexStore,
    options: AdvanceOptions & { signal: AbortSignal },
    private readonly log: Logger,
  ) {
    this.advance = new Advance(chain, index.next, options, log)
  }

  /**
   * Reads one range, given what the nodes say of the live reading, and for how long they have not known it. True where
   * nothing can be read now.
   */
  async step({ live, next }: Readings, seen: Seen, unseenFor: number): Promise<boolean> {
    const { chain, index } = this
    const { chainId } = chain
    if (!next) return true
    const { heads, verdict } = await look(chain, index.next, next.cursor)
    if (next.cursor && verdict === 'other') return this.goBack(next.cursor, next.wanted)
    const { rests, cursor = next.cursor } = await this.advance.readOn(next.cursor, heads)
    if (!rests) return false
    // as far as one of the nodes, if not as far as the one that says most
    if (!cursor || cursor.block < (heads.at(-1) as number)) return true
    const least = live ? await this.leastBlock(live.cursor, next.wanted, seen, unseenFor) : 0
    if (cursor.block < least || !(await index.replace(chainId, cursor))) return true
    this.log.warn({ chainId, block: cursor.block }, 'the chain was read again, and that replaces what was read before')
    return false
  }

  /** How far it must have come, so that nothing is lost by it. */
  private async leastBlock(live: Cursor, wanted: boolean, { verdict }: Seen, unseenFor: number): Promise<number> {
    if (verdict === 'same') return live.block
    // what the nodes have shown to have
    if (verdict === 'other') return (await this.index.checkpoints(this.chain.chainId)).at(-1)?.block ?? live.block
    return wanted && unseenFor >= GIVEN_UP_AFTER ? 0 : Number.POSITIVE_INFINITY
  }

  private async goBack(cursor: Cursor, wanted: boolean): Promise<boolean> {
    const { chain, index } = this
    const { chainId } = chain
    const ancestor = await ancestorOf(chain, await index.next.checkpoints(chainId))
    if (ancestor === undefined) return true
    if (ancestor === 'gone') {
      this.log.warn({ chainId, block: cursor.block }, 'chain history changed, reading it again from its start')
      await index.begin(chainId, wanted)
    } else if (ancestor.block !== cursor.block) await index.next.rollback(chainId, ancestor)
    return false
  }
}
