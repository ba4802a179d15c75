import { type PublicClient, stringify } from 'viem'
import { ChainError } from '../errors.js'
import type { Logger } from '../logger.js'
import type { Outcome } from '../metrics/metrics.js'
import { type Trace, untraced } from '../tracing.js'
import { rpcClient } from './clients.js'
import { isContractAnswer, isTooLong, transportFailure } from './failures.js'
import { type CallForeign, foreignCalls } from './foreign.js'

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
}

/** Failures in a row after which a node is left alone for a while. */
const FAILURES_TO_OPEN = 3
const FIRST_REST = 500
const LONGEST_REST = 10_000

/** What is asked of one node: by its client, and of contracts that are somebody else's by `foreign` alone. */
export type Step<T> = (client: PublicClient, foreign: CallForeign) => Promise<T>

/** One node of a chain, and how it has been doing. */
class ChainNode {
  readonly client: PublicClient
  readonly foreign: CallForeign
  /** Whether it has shown to be on the right chain. */
  verified = false
  failures = 0
  restsUntil = 0
  /** Whether a request is trying it although it is left alone. */
  probing = false

  constructor(
    readonly url: URL,
    timeout: number,
  ) {
    this.client = rpcClient(url, { timeout })
    this.foreign = foreignCalls(url, timeout)
  }

  isOpen(now: number): boolean {
    return this.failures >= FAILURES_TO_OPEN && this.restsUntil > now
  }
}

/**
 * The JSON-RPC nodes of one chain, asked in their order, those that rest after a failure last. A node that fails, does
 * not answer in time, or answers with less than it should is followed by the next; one that fails again and again is
 * left alone for a while. URLs hold keys, so nothing but the host of one is ever logged.
 */
export class ChainNodes {
  private readonly nodes: ChainNode[]

  constructor(
    readonly chainId: number,
    urls: readonly URL[],
    private readonly options: NodesOptions,
  ) {
    this.nodes = urls.map((url) => new ChainNode(url, options.timeout))
  }

  /**
   * Runs a step on one node after the other until an answer is accepted; where none is, the last answer that there
   * was. What the step asks of its client in one tick is one request to one node; calls to somebody else's contracts
   * travel alone. Throws ChainError in fixed words.
   */
  async ask<T>(step: Step<T>, { accept, essence }: Judgement<T> = {}): Promise<T> {
    const needed = essence ? Math.min(this.options.agreement, this.nodes.length) : 1
    const votes = new Map<string, number>()
    let last: { answer: T } | undefined
    for (const node of this.inOrder()) {
      let answer: T
      try {
        answer = await this.answerOf(node, step)
      } catch (error) {
        if (isContractAnswer(error)) break
        continue
      }
      if (accept && !accept(answer)) {
        last ??= { answer }
        continue
      }
      if (needed === 1) return answer
      const vote = stringify(essence?.(answer))
      votes.set(vote, (votes.get(vote) ?? 0) + 1)
      if (votes.get(vote) === needed) return answer
    }
    if (last && votes.size === 0) return last.answer
    throw new ChainError('CHAIN_UNAVAILABLE', 'The blockchain node did not answer.')
  }

  /** How many nodes there are. */
  get count(): number {
    return this.nodes.length
  }

  /** The answers of all nodes that give one. Throws ChainError where none does. */
  async askAll<T>(step: Step<T>): Promise<T[]> {
    const now = Date.now()
    const usable = this.nodes.filter((node) => !node.isOpen(now))
    const asked = await Promise.allSettled(usable.map((node) => this.answerOf(node, step)))
    const answers = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    if (answers.length === 0) throw new ChainError('CHAIN_UNAVAILABLE', 'The blockchain node did not answer.')
    return answers
  }

  /** Those that rest come last; of those that are left alone, one at a time is tried where nothing else would do. */
  private *inOrder(): Generator<ChainNode> {
    const now = Date.now()
    const resting = (node: ChainNode) => Math.max(node.restsUntil - now, 0)
    const ordered = [...this.nodes].sort((a, b) => resting(a) - resting(b))
    yield* ordered.filter((node) => !node.isOpen(now))
    const open = ordered.find((node) => node.isOpen(now) && !node.probing)
    if (!open) return
    open.probing = true
    try {
      yield open
    } finally {
      open.probing = false
    }
  }

  private async answerOf<T>(node: ChainNode, step: Step<T>): Promise<T> {
    try {
      const { trace = untraced } = this.options
      const [answer, chainId] = await trace('ask node', { 'tidegate.chain': this.chainId, node: node.url.host }, () =>
        Promise.all([step(node.client, node.foreign), node.verified || node.client.getChainId()]),
      )
      if (chainId !== true && chainId !== this.chainId) throw new WrongChain()
      node.verified = true
      node.failures = 0
      node.restsUntil = 0
      this.options.onOutcome?.(this.chainId, node.url.host, 'ok')
      return answer
    } catch (error) {
      this.note(node, error)
      throw error
    }
  }

  /** A node that cannot be reached, is overrun, or is on another chain rests; one that only refuses a call does not. */
  private note(node: ChainNode, error: unknown): void {
    const failure = failureOf(error)
    const timeout = failure?.reason.includes('in time')
    this.options.onOutcome?.(this.chainId, node.url.host, !failure ? 'ok' : timeout ? 'timeout' : 'failed')
    if (!failure) return
    // requests that fail together are one failure
    if (node.restsUntil > Date.now()) return
    node.failures += 1
    const rest = Math.min(LONGEST_REST, FIRST_REST * 2 ** (node.failures - 1))
    node.restsUntil = Date.now() + Math.max(rest, Math.min(LONGEST_REST, failure.retryAfter ?? 0))
    if (node.failures <= FAILURES_TO_OPEN)
      this.options.log?.warn(
        { chainId: this.chainId, node: node.url.host, reason: failure.reason, rest },
        'chain node failed',
      )
  }
}

class WrongChain extends Error {}

function failureOf(error: unknown) {
  if (error instanceof WrongChain) return { reason: 'is on another chain' }
  // it does answer, and would answer less
  return isTooLong(error) ? undefined : transportFailure(error)
}
