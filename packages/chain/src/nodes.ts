import { type Logger, type Outcome, type Trace, untraced } from '@tidegate/common'
import { ChainError } from '@tidegate/protocol'
import { type PublicClient, stringify } from 'viem'
import { isContractError, isRefusal, isTooLong, transportFailure } from './failures.js'
import { HedgedRequest, type Settled } from './hedged.js'
import { ChainNode } from './node.js'
import type { NodeAbilities } from './rpc/abilities.js'
import type { CallUntrusted } from './untrusted-calls.js'

export interface NodesOptions {
  /** Wraps each request in a span. */
  trace?: Trace
  /** Milliseconds that one node may take for one response. */
  timeout: number
  /** Quorum: how many nodes must return the same where it decides about orders and the index. */
  agreement: number
  log?: Logger
  /** Called with the outcome of each step at a node, by the node's host. */
  onOutcome?: (chainId: number, host: string, outcome: Outcome) => void
}

/** The state of one node. */
export interface NodeHealth {
  host: string
  /** Whether it answered when it was last asked. */
  answers: boolean
  /** Its known limits, in words. */
  limits: string[]
  /** Why it did not answer, in words. */
  failure?: string
}

/** When an answer is accepted. */
export interface AskOptions<T> {
  /** Returns false if the answer only shows that the node lags; then the next node is tried. */
  accept?: (answer: T) => boolean
  /** Returns the part of an answer that a quorum of nodes must agree on. */
  agreeOn?: (answer: T) => unknown
  /** True for large requests, which are slow at any node: they are not hedged. */
  unhedged?: boolean
  /** Returns whether a node is likely to answer; the others are asked after it. */
  prefer?: (abilities: NodeAbilities) => boolean
}

/** A step to run at one node. Untrusted contracts are called through `callUntrusted` alone. */
export type NodeRequest<T> = (
  client: PublicClient,
  callUntrusted: CallUntrusted,
  abilities: NodeAbilities,
) => Promise<T>

/** Milliseconds after which a request still in flight is also sent to the next node. */
const HEDGE_AFTER = 1000

/**
 * The JSON-RPC nodes of one chain, with fail-over in the configured order and unhealthy nodes last. A node that fails,
 * times out or lags is followed by the next; a slow one is hedged. A failed node becomes healthy again through a
 * background probe, so that no request waits for it. URLs hold keys, so only their hosts are ever logged.
 */
export class ChainNodes {
  /** Whether a node has answered, on the right chain, since the start. */
  reached = false
  private readonly nodes: ChainNode[]
  private readonly hedgeAfter: number

  constructor(
    readonly chainId: number,
    urls: readonly URL[],
    private readonly options: NodesOptions,
  ) {
    const others = (node: ChainNode) => this.nodes.filter((other) => other !== node)
    this.nodes = urls.map((url) => {
      const node: ChainNode = new ChainNode(
        url,
        options.timeout,
        () => !others(node).some(({ isHealthy }) => isHealthy),
      )
      return node
    })
    this.hedgeAfter = Math.min(HEDGE_AFTER, options.timeout / 2)
  }

  /** The nodes in the configured order. */
  get health(): NodeHealth[] {
    return this.nodes.map(({ url, isHealthy, abilities, failure }) => ({
      host: url.host,
      answers: isHealthy,
      limits: [...abilities.limits.values()],
      ...(failure === undefined ? {} : { failure }),
    }))
  }

  /**
   * Runs a step on one node after the other until an answer is accepted; if none is, returns the first one that was
   * not. Calls that the step makes in one tick are batched into one request to one node; calls to untrusted contracts
   * are sent separately. Throws ChainError with a fixed message.
   */
  async ask<T>(step: NodeRequest<T>, { accept, agreeOn, unhedged, prefer }: AskOptions<T> = {}): Promise<T> {
    const quorum = agreeOn ? this.needed : 1
    const votes = new Map<string, number>()
    let rejected: { answer: T } | undefined
    const hedged = new HedgedRequest(
      this.inOrder(prefer),
      (node) => this.request(node, step, unhedged),
      unhedged ? undefined : this.hedgeAfter,
    )
    for (let sent = 0; sent < quorum; sent++) hedged.sendToNext()
    for (let settled = await hedged.nextSettled(); settled; settled = await hedged.nextSettled()) {
      if ('error' in settled) {
        if (isContractError(settled.error)) break
        hedged.sendToNext()
        continue
      }
      const { answer, node } = settled
      if (accept && !accept(answer)) {
        rejected ??= { answer }
        hedged.sendToNext()
        continue
      }
      const vote = quorum === 1 ? '' : stringify(agreeOn?.(answer))
      votes.set(vote, (votes.get(vote) ?? 0) + 1)
      if (votes.get(vote) === quorum) {
        this.demote(hedged.overtakenBy(node))
        return answer
      }
      hedged.sendToNext()
    }
    if (rejected && votes.size === 0) return rejected.answer
    throw this.unavailable()
  }

  /** The quorum for orders and the index: at most the number of nodes. */
  get needed(): number {
    return Math.min(this.options.agreement, this.nodes.length)
  }

  /**
   * Runs a step on all healthy nodes, or on all nodes where the healthy ones are fewer than the quorum, and returns the
   * answers. Throws ChainError if there is none.
   */
  async askAll<T>(step: NodeRequest<T>): Promise<T[]> {
    const healthy = this.nodes.filter(({ isHealthy }) => isHealthy)
    if (healthy.length > 0) this.probe()
    const usable = healthy.length >= this.needed ? healthy : this.nodes
    const outcomes = await Promise.all(usable.map((node) => this.request(node, step)))
    const answers = outcomes.flatMap((one) => ('answer' in one ? [one.answer] : []))
    if (answers.length === 0) throw this.unavailable()
    return answers
  }

  /** The error for a chain whose nodes do not answer: a chain that was never reached is not ready yet. */
  private unavailable(): ChainError {
    return this.reached
      ? new ChainError('CHAIN_UNAVAILABLE', 'The blockchain node did not answer.')
      : new ChainError('CHAIN_NOT_READY', 'No node of this blockchain has answered since the provider started.')
  }

  /**
   * Healthy nodes first, preferred ones before others, then failing ones; at most one with an open circuit, and only while it
   * is idle.
   */
  private *inOrder(prefer: AskOptions<unknown>['prefer'] = () => true): Generator<ChainNode> {
    const healthy = this.nodes.filter(({ isHealthy }) => isHealthy)
    if (healthy.length > 0) this.probe()
    const preferred = healthy.filter(({ abilities }) => prefer(abilities))
    yield* preferred
    yield* healthy.filter((node) => !preferred.includes(node))
    const failing = this.nodes.filter((node) => !healthy.includes(node)).sort((a, b) => a.backoffLeft - b.backoffLeft)
    yield* failing.filter(({ isCircuitOpen }) => !isCircuitOpen)
    const open = failing.find(({ isCircuitOpen, inFlight }) => isCircuitOpen && inFlight === 0)
    if (open) yield open
  }

  /** Probes failed nodes in the background, with one request at a time each. */
  private probe(): void {
    for (const node of this.nodes) {
      if (node.isHealthy || node.backoffLeft > 0 || node.inFlight > 0) continue
      const start = performance.now()
      void this.request(node, (client) => client.getBlockNumber()).then((settled) => {
        if ('answer' in settled && performance.now() - start <= this.hedgeAfter) node.recovered()
      })
    }
  }

  /** Marks nodes that a hedge overtook as unhealthy, until a probe succeeds. */
  private demote(slow: ChainNode[]): void {
    for (const node of slow) node.failed('is slower than the next', this.options.log, this.chainId)
  }

  private async request<T>(node: ChainNode, step: NodeRequest<T>, unhedged = false): Promise<Settled<T>> {
    const { trace = untraced } = this.options
    const start = performance.now()
    node.inFlight += 1
    try {
      const at = (client: PublicClient) =>
        Promise.all([step(client, node.callUntrusted, node.abilities), node.verified || client.getChainId()] as const)
      const [answer, chainId] = await trace('ask node', { 'tidegate.chain': this.chainId, node: node.url.host }, () =>
        at(node.client).catch((error: unknown) => {
          if (unhedged || !isTooLong(error)) throw error
          // another request in the same batch may have been chosen for its large response, so retry without batching
          return at(node.unbatched)
        }),
      )
      if (chainId !== true && chainId !== this.chainId) throw new WrongChain()
      node.verified = true
      this.reached = true
      // a late response must not restore a node that was demoted for being slow
      if (node.isHealthy || performance.now() - start <= this.hedgeAfter) node.succeeded()
      this.options.onOutcome?.(this.chainId, node.url.host, 'ok')
      return { node, answer }
    } catch (error) {
      this.recordFailure(node, error)
      return { node, error }
    } finally {
      node.inFlight -= 1
      node.reportLimits(this.options.log, this.chainId)
    }
  }

  /** Backs off from a node that is unreachable, overloaded or on another chain, but not from one that refuses a call. */
  private recordFailure(node: ChainNode, error: unknown): void {
    const failure = failureOf(error)
    const timeout = failure?.reason.includes('in time')
    this.options.onOutcome?.(this.chainId, node.url.host, !failure ? 'ok' : timeout ? 'timeout' : 'failed')
    if (!failure) this.reached = true
    if (failure) node.failed(failure.reason, this.options.log, this.chainId, failure.retryAfter)
  }
}

class WrongChain extends Error {}

function failureOf(error: unknown) {
  if (error instanceof WrongChain) return { reason: 'is on another chain' }
  // the node works, and would answer a smaller request
  return isRefusal(error) ? undefined : transportFailure(error)
}
