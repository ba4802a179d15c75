import type { PublicClient } from 'viem'
import type { NodeAbilities } from '../rpc/abilities.js'
import type { Moment } from '../time/moment.js'
import type { CallUntrusted } from '../untrusted-calls.js'

/** Rules for accepting an answer. */
export interface AskOptions<T> {
  /** Returns false if the answer shows that the node lags. Then the next node is tried. */
  accept?: (answer: T) => boolean
  /** Returns the part of the answer that a quorum must agree on. */
  agreeOn?: (answer: T) => unknown
  /** Turns hedging off, for large requests that are slow at any node. */
  unhedged?: boolean
  /** The block that the answer depends on: a node that does not know it is behind. */
  since?: number
  /** Returns whether a node is likely to answer. Such nodes come first. */
  prefer?: (abilities: NodeAbilities) => boolean
}

/**
 * A step to run at one node. It must call untrusted contracts only through `callUntrusted`. All of these calls are
 * answered from the state of one block: `moment.block()`.
 */
export type NodeRequest<T> = (
  client: PublicClient,
  callUntrusted: CallUntrusted,
  abilities: NodeAbilities,
  moment: Moment,
) => Promise<T>
