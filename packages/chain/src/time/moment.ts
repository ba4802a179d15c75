import type { PublicClient } from 'viem'
import { CHAIN_LIMITS } from '../limits.js'
import type { NodeAbilities } from '../rpc/abilities.js'
import { BehindError } from './behind-error.js'

/** The block of a decision at one node. All calls of the decision are answered from its state. */
export class Moment {
  private pinned: Promise<number> | undefined

  /** `since`: the block that the decision depends on; `agreed`: the block at which all nodes of a quorum are asked. */
  constructor(
    private readonly client: PublicClient,
    private readonly abilities: NodeAbilities,
    private readonly since = 0,
    private readonly agreed?: () => Promise<number>,
  ) {}

  /** Whether the decision has made a call. */
  get isUsed(): boolean {
    return this.pinned !== undefined
  }

  /**
   * Returns the block. The first call requests the head of the node, the first one after an error requests it again.
   * @throws BehindError if the node is older than the decision must be
   */
  block(): Promise<number> {
    this.pinned ??= this.pin().catch((error) => {
      this.pinned = undefined
      throw error
    })
    return this.pinned
  }

  private async pin(): Promise<number> {
    const block = this.agreed ? await this.agreed() : Number(await this.client.getBlockNumber())
    // a node that lags must not hold the others of its quorum back
    const oldest = this.agreed ? this.abilities.moments.highestBefore(CHAIN_LIMITS.moments.apart) : undefined
    if (block < Math.max(this.since, oldest ?? 0)) throw new BehindError()
    return block
  }
}

/** Returns a function that runs another one once, and again after a rejection. */
export function once<T>(run: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= run()
    pending.catch(() => {
      pending = undefined
    })
    return pending
  }
}
