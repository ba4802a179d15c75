import { type PublicClient, stringify } from 'viem'
import { ChainError } from '../errors.js'
import type { Logger } from '../logger.js'
import type { Outcome } from '../metrics/metrics.js'
import { type Trace, untraced } from '../tracing.js'
import { isContractAnswer, isTooLong, transportFailure } from './failures.js'
import type { CallForeign } from './foreign.js'
import { type Ended, Hedged } from './hedged.js'
import { ChainNode } from './node.js'

export interface NodesOptions {
  /** Puts each question under a span. */
  trace?: Trace
  /** Milliseconds that one node may take for one answer. */
  timeout: number
  /** How many nodes must say the same where it decides about orders and the index. */
  agreement: number
  log?: Logger
  /** Told how each step ended at a node, by the node's host. */
  onOutcome?: (chainId: number, host: string, outcome: Outcome) => void
}

/** How an answer is judged before it is taken. */
export interface Judgement<T> {
  /** False where the answer only shows that the node lags behind: then the next one is asked. */
  accept?: (answer: T) => boolean
  /** What must be the same at several nodes, where the operator asks for agreement. */
  essence?: (answer: T) => unknown
  /** True for large questions, which any node may take its time for: they are not hedged. */
  patient?: boolean
}

/** What is asked of one node: by its client, and of contracts that are somebody else's by `foreign` alone. */
export type Step<T> = (client: PublicClient, foreign: CallForeign) => Promise<T>

/** Milliseconds after which a question that a node has not answered yet goes to the next one as well. */
const HEDGE_AFTER = 1000

/**
 * The JSON-RPC nodes of one chain, asked in their order, those that failed last. A node that fails, does not answer in
 * time, or answers with less than it should is followed by the next; a slow one is hedged by it. One that failed comes
 * back when it answers a probe in the background, so that no request waits for it again. URLs hold keys, so nothing
 * but the host of one is ever logged.
 */
export class ChainNodes {
  private readonly nodes: ChainNode[]
  private readonly hedgeAfter: number

  constructor(
    readonly chainId: number,
    urls: readonly URL[],
    private readonly options: NodesOptions,
  ) {
    this.nodes = urls.map((url) => new ChainNode(url, options.timeout))
    this.hedgeAfter = Math.min(HEDGE_AFTER, options.timeout / 2)
  }

  /**
   * Runs a step on one node after the other until an answer is accepted; where none is, the first answer that there
   * was. What the step asks of its client in one tick is one request to one node; calls to somebody else's contracts
   * travel alone. Throws ChainError in fixed words.
   */
  async ask<T>(step: Step<T>, { accept, essence, patient }: Judgement<T> = {}): Promise<T> {
    const needed = essence ? this.needed : 1
    const votes = new Map<string, number>()
    let refused: { answer: T } | undefined
    const asked = new Hedged(
      this.inOrder(),
      (node) => this.answerOf(node, step, patient),
      patient ? undefined : this.hedgeAfter,
    )
    for (let others = 0; others < needed; others++) asked.next()
    for (let ended = await asked.ended(); ended; ended = await asked.ended()) {
      if ('error' in ended) {
        if (isContractAnswer(ended.error)) break
        asked.next()
        continue
      }
      const { answer, node } = ended
      if (accept && !accept(answer)) {
        refused ??= { answer }
        asked.next()
        continue
      }
      const vote = needed === 1 ? '' : stringify(essence?.(answer))
      votes.set(vote, (votes.get(vote) ?? 0) + 1)
      if (votes.get(vote) === needed) {
        this.passOver(asked.overtakenBy(node))
        return answer
      }
      asked.next()
    }
    if (refused && votes.size === 0) return refused.answer
    throw new ChainError('CHAIN_UNAVAILABLE', 'The blockchain node did not answer.')
  }

  /** How many nodes must say the same where it decides about orders and the index. */
  get needed(): number {
    return Math.min(this.options.agreement, this.nodes.length)
  }

  /**
   * The answers of all nodes that give one, but for those that failed lately, where there are as many others as must
   * agree. Throws ChainError where none does.
   */
  async askAll<T>(step: Step<T>): Promise<T[]> {
    const well = this.nodes.filter(({ isWell }) => isWell)
    if (well.length > 0) this.probe()
    const usable = well.length >= this.needed ? well : this.nodes
    const asked = await Promise.all(usable.map((node) => this.answerOf(node, step)))
    const answers = asked.flatMap((one) => ('answer' in one ? [one.answer] : []))
    if (answers.length === 0) throw new ChainError('CHAIN_UNAVAILABLE', 'The blockchain node did not answer.')
    return answers
  }

  /** Those that failed come last; of those that fail again and again, one that is asked nothing else. */
  private *inOrder(): Generator<ChainNode> {
    const well = this.nodes.filter(({ isWell }) => isWell)
    if (well.length > 0) this.probe()
    yield* well
    const failing = this.nodes.filter((node) => !well.includes(node)).sort((a, b) => a.rest - b.rest)
    yield* failing.filter(({ isOpen }) => !isOpen)
    const open = failing.find(({ isOpen, asked }) => isOpen && asked === 0)
    if (open) yield open
  }

  /** Looks in the background whether nodes that failed have come back, one question at a time. */
  private probe(): void {
    for (const node of this.nodes) {
      if (node.isWell || node.rest > 0 || node.asked > 0) continue
      const begun = performance.now()
      void this.answerOf(node, (client) => client.getBlockNumber()).then((ended) => {
        if ('answer' in ended && performance.now() - begun <= this.hedgeAfter) node.recovered()
      })
    }
  }

  /** Nodes that others are quicker than are asked later than these, until a probe finds them well. */
  private passOver(slow: ChainNode[]): void {
    for (const node of slow) node.failed('is slower than the next', this.options.log, this.chainId)
  }

  private async answerOf<T>(node: ChainNode, step: Step<T>, patient = false): Promise<Ended<T>> {
    const { trace = untraced } = this.options
    const begun = performance.now()
    node.asked += 1
    try {
      const at = (client: PublicClient) =>
        Promise.all([step(client, node.foreign), node.verified || client.getChainId()] as const)
      const [answer, chainId] = await trace('ask node', { 'tidegate.chain': this.chainId, node: node.url.host }, () =>
        at(node.client).catch((error: unknown) => {
          if (patient || !isTooLong(error)) throw error
          // its calls may have travelled with one that somebody has chosen for its long answer: alone they get theirs
          return at(node.alone)
        }),
      )
      if (chainId !== true && chainId !== this.chainId) throw new WrongChain()
      node.verified = true
      // a late answer does not call a node back that was passed over for being slow
      if (node.isWell || performance.now() - begun <= this.hedgeAfter) node.succeeded()
      this.options.onOutcome?.(this.chainId, node.url.host, 'ok')
      return { node, answer }
    } catch (error) {
      this.note(node, error)
      return { node, error }
    } finally {
      node.asked -= 1
    }
  }

  /** A node that cannot be reached, is overrun, or is on another chain rests; one that only refuses a call does not. */
  private note(node: ChainNode, error: unknown): void {
    const failure = failureOf(error)
    const timeout = failure?.reason.includes('in time')
    this.options.onOutcome?.(this.chainId, node.url.host, !failure ? 'ok' : timeout ? 'timeout' : 'failed')
    if (failure) node.failed(failure.reason, this.options.log, this.chainId, failure.retryAfter)
  }
}

class WrongChain extends Error {}

function failureOf(error: unknown) {
  if (error instanceof WrongChain) return { reason: 'is on another chain' }
  // it does answer, and would answer less
  return isTooLong(error) ? undefined : transportFailure(error)
}
