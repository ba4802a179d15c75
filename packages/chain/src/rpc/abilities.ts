import { BatchSize } from './batch-size.js'
import { LogAbility } from './log-ability.js'
import { Pace } from './pace.js'

/** Abilities that a node may lack. */
export type Ability = 'batches' | 'events' | 'rate'

/** The abilities of one node, learned from its answers. Shared by all clients of the node. */
export class NodeAbilities {
  readonly batches = new BatchSize()
  readonly logs = new LogAbility()
  readonly pace = new Pace()

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
    return limits
  }
}
