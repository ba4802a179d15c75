import { setTimeout } from 'node:timers/promises'
import type { ChainNode } from './node.js'

/** How a step ended at a node. */
export type Ended<T> = { node: ChainNode; answer: T } | { node: ChainNode; error: unknown }

/** A question on its way to several nodes, one after the other, and to the next one as well where one is slow. */
export class Hedged<T> {
  private readonly inFlight = new Map<ChainNode, Promise<Ended<T>>>()
  /** In the order in which they were asked. */
  private readonly asked: ChainNode[] = []
  private readonly late = new Set<ChainNode>()
  private exhausted = false

  /** `hedgeAfter` in milliseconds; undefined where nothing is hedged. */
  constructor(
    private readonly nodes: Iterator<ChainNode>,
    private readonly answerOf: (node: ChainNode) => Promise<Ended<T>>,
    private readonly hedgeAfter: number | undefined,
  ) {}

  /** Asks the next node, if there is one. */
  next(): void {
    const { value: node, done } = this.nodes.next()
    this.exhausted = done === true
    if (done) return
    this.asked.push(node)
    this.inFlight.set(node, this.answerOf(node))
  }

  /** How it ended at the next node that is done; undefined where none is asked any more. */
  async ended(): Promise<Ended<T> | undefined> {
    while (this.inFlight.size > 0) {
      const ended = await this.firstEnded()
      if (ended) {
        this.inFlight.delete(ended.node)
        return ended
      }
      for (const node of this.inFlight.keys()) this.late.add(node)
      this.next()
    }
    return undefined
  }

  /** The nodes that were asked before this one, were late, and have not answered yet. */
  overtakenBy(node: ChainNode): ChainNode[] {
    return this.asked.slice(0, this.asked.indexOf(node)).filter((one) => this.late.has(one) && this.inFlight.has(one))
  }

  /** Undefined where it is time to ask another node. */
  private async firstEnded(): Promise<Ended<T> | undefined> {
    const asked = [...this.inFlight.values()]
    if (this.exhausted || this.hedgeAfter === undefined) return Promise.race(asked)
    const waited = new AbortController()
    try {
      return await Promise.race([...asked, setTimeout(this.hedgeAfter, undefined, waited)])
    } finally {
      waited.abort()
    }
  }
}
