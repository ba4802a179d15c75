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
  /** Milliseconds for one response of one node. */
  timeout: number
  /** Quorum: nodes that must return the same for orders and the index. */
  agreement: number
  log?: Logger
  /** Called with the outcome of each step at a node, by the node's host. */
  onOutcome?: (chainId: number, host: string, outcome: Outcome) => void
  /** Called with the number of repeated logs that were dropped from an answer. */
  onRepeated?: (chainId: number, host: string, logs: number) => void
}

export interface NodeHealth {
  host: string
  /** Whether it answered the last request. */
  answers: boolean
  /** Its known limits, as predicates. */
  limits: string[]
  /** The reason of its failure, as a predicate. */
  failure?: string
}

/** Rules for accepting an answer. */
export interface AskOptions<T> {
  /** Returns false if the answer shows that the node lags. Then the next node is tried. */
  accept?: (answer: T) => boolean
  /** Returns the part of the answer that a quorum must agree on. */
  agreeOn?: (answer: T) => unknown
  /** Turns hedging off, for large requests that are slow at any node. */
  unhedged?: boolean
  /** Returns whether a node is likely to answer. Such nodes come first. */
  prefer?: (abilities: NodeAbilities) => boolean
}

/** A step to run at one node. It must call untrusted contracts only through `callUntrusted`. */
export type NodeRequest<T> = (
  client: PublicClient,
  callUntrusted: CallUntrusted,
  abilities: NodeAbilities,
) => Promise<T>

/** Milliseconds after which a request still in flight is also sent to the next node. */
const HEDGE_AFTER = 1000

/**
 * The JSON-RPC nodes of one chain. If a node fails, times out or lags, the next in the configured order is tried; slow
 * nodes are hedged, and unhealthy nodes come last. Background probes restore failed nodes, so no request waits for one.
 * URLs contain keys, so only hosts are logged.
 */
export class ChainNodes {
  /** Whether a node on the right chain has answered since start-up. */
  reached = false
  private readonly nodes: ChainNode[]
  private readonly hedgeAfter: number

  constructor(
    readonly chainId: number,
    urls: readonly URL[],
    private readonly options: NodesOptions,
  ) {
    this.nodes = urls.map((url) => {
      const isAlone = (): boolean => !this.nodes.some((other) => other !== node && other.isHealthy)
      const onRepeated = (logs: number) => options.onRepeated?.(chainId, url.host, logs)
      const node: ChainNode = new ChainNode(url, options.timeout, isAlone, onRepeated)
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
   * Runs a step on one node after the other until an answer is accepted. If none is, returns the first answer. Calls that
   * the step makes in one tick share one HTTP request, except calls to untrusted contracts.
   * @throws ChainError with a fixed message
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

  /** The quorum for orders and the index, at most the number of nodes. */
  get needed(): number {
    return Math.min(this.options.agreement, this.nodes.length)
  }

  /**
   * Runs a step on all healthy nodes, or on all nodes if fewer than the quorum are healthy. Returns the answers.
   * @throws ChainError if there is none
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

  /** Returns CHAIN_NOT_READY before the first answer of the chain, later CHAIN_UNAVAILABLE. */
  private unavailable(): ChainError {
    return this.reached
      ? new ChainError('CHAIN_UNAVAILABLE', 'The blockchain node did not answer.')
      : new ChainError('CHAIN_NOT_READY', 'No node of this blockchain has answered since the provider started.')
  }

  /** Yields preferred healthy nodes, other healthy nodes, failing nodes, then one idle node with an open circuit. */
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

  /** Probes failed nodes in the background, one request at a time per node. */
  private probe(): void {
    for (const node of this.nodes) {
      if (node.isHealthy || node.backoffLeft > 0 || node.inFlight > 0) continue
      const start = performance.now()
      void this.request(node, (client) => client.getBlockNumber()).then((settled) => {
        if ('answer' in settled && performance.now() - start <= this.hedgeAfter) node.recovered()
      })
    }
  }

  /** Marks nodes that a hedge overtook as failed. */
  private demote(slow: ChainNode[]): void {
    for (const node of slow) node.failed('is slower than the next node', this.options.log, this.chainId)
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
          // another call of the batch may have caused the size, so retry without batching
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

  /** Backs off from a node that is unreachable, overloaded or on another chain. A refused call is no failure. */
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
  // the node works: it would answer a smaller request
  return isRefusal(error) ? undefined : transportFailure(error)
}
