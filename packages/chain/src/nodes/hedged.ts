import { setTimeout } from 'node:timers/promises'
import type { ChainNode } from './node.js'

/** The outcome of a step at one node. `isPinned`: whether the step has called contracts in the state of one block. */
export type Settled<T> = { node: ChainNode; answer: T; isPinned: boolean } | { node: ChainNode; error: unknown }

/** A request that is sent to one node after the other, and also to the next node if one is slow (hedging). */
export class HedgedRequest<T> {
  private readonly inFlight = new Map<ChainNode, Promise<Settled<T>>>()
  /** All nodes that got the request, in order. */
  private readonly tried: ChainNode[] = []
  private readonly overdue = new Set<ChainNode>()
  private exhausted = false

  /** `hedgeAfter` in milliseconds; undefined to turn hedging off. */
  constructor(
    private readonly nodes: Iterator<ChainNode>,
    private readonly send: (node: ChainNode) => Promise<Settled<T>>,
    private readonly hedgeAfter: number | undefined,
  ) {}

  /** Sends the request to the next node, if there is one. */
  sendToNext(): void {
    const { value: node, done } = this.nodes.next()
    this.exhausted = done === true
    if (done) return
    this.tried.push(node)
    this.inFlight.set(node, this.send(node))
  }

  /** Resolves with the next outcome; undefined when no request is in flight. Sends hedges while it waits. */
  async nextSettled(): Promise<Settled<T> | undefined> {
    while (this.inFlight.size > 0) {
      const settled = await this.firstSettled()
      if (settled) {
        this.inFlight.delete(settled.node)
        return settled
      }
      for (const node of this.inFlight.keys()) this.overdue.add(node)
      this.sendToNext()
    }
    return undefined
  }

  /** Returns the overdue nodes before this one that have not answered yet. */
  overtakenBy(node: ChainNode): ChainNode[] {
    return this.tried
      .slice(0, this.tried.indexOf(node))
      .filter((one) => this.overdue.has(one) && this.inFlight.has(one))
  }

  /** Resolves with undefined when it is time to hedge. */
  private async firstSettled(): Promise<Settled<T> | undefined> {
    const pending = [...this.inFlight.values()]
    if (this.exhausted || this.hedgeAfter === undefined) return Promise.race(pending)
    const timer = new AbortController()
    try {
      return await Promise.race([...pending, setTimeout(this.hedgeAfter, undefined, timer)])
    } finally {
      timer.abort()
    }
  }
}
