import { BatchSize } from './batch-size.js'
import { LogAbility } from './log-ability.js'
import { Moments } from './moments.js'
import { Pace } from './pace.js'
import { PastAbility } from './past-ability.js'

/** Abilities that a node may lack. */
export type Ability = 'batches' | 'events' | 'rate' | 'past' | 'moments'

/** The abilities of one node, learned from its answers. Shared by all clients of the node. */
export class NodeAbilities {
  readonly batches = new BatchSize()
  readonly logs = new LogAbility()
  readonly pace = new Pace()
  readonly past = new PastAbility()
  readonly moments = new Moments()

  /**
   * `isAlone`: whether no other node is healthy. Then calls wait for the pace of this one. `onRepeated` gets the number
   * of logs that an answer repeated.
   */
  constructor(
    readonly isAlone: () => boolean = () => false,
    readonly onRepeated?: (logs: number) => void,
  ) {}

  /** The known limits, as predicates about the node. */
  get limits(): Map<Ability, string> {
    const limits = new Map<Ability, string>()
    const calls = this.batches.known
    if (calls !== undefined)
      limits.set('batches', calls === 1 ? 'takes no batches of calls' : `takes batches of at most ${calls} calls`)
    const { limit } = this.logs
    if (limit !== undefined) limits.set('events', limit)
    if (this.pace.isLimited) limits.set('rate', 'limits the rate of calls')
    if (this.past.limit !== undefined) limits.set('past', this.past.limit)
    if (this.moments.limit !== undefined) limits.set('moments', this.moments.limit)
    return limits
  }
}
