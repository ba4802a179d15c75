import { setTimeout as sleep } from 'node:timers/promises'
import { type Logger, type Outcome, type Trace, untraced } from '@tidegate/common'
import { ChainError } from '@tidegate/protocol'
import { type PublicClient, stringify } from 'viem'
import { isContractError, isRefusal, isTooLong, transportFailure } from '../failures.js'
import { CHAIN_LIMITS } from '../limits.js'
import { isBehind, reasonOf } from '../time/behind.js'
import { Moment, once } from '../time/moment.js'
import { HedgedRequest, type Settled } from './hedged.js'
import { ChainNode, type NodeHealth } from './node.js'
import type { AskOptions, NodeRequest } from './node-request.js'

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

/** What all nodes together answered: an answer, whether it may be of an old moment, or why there is none. */
type Asked<T> = { answer: T; isEarly: boolean } | { reason: string | undefined; isEarly: boolean }

interface RequestOptions {
  unhedged?: boolean | undefined
  moment?: Moment
}

type MomentOf = (node: ChainNode) => Moment

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

  /** Whether as many nodes answered their last request as must agree. */
  get areEnough(): boolean {
    return this.nodes.filter(({ isHealthy }) => isHealthy).length >= this.needed
  }

  /** Asks the nodes of a failed quorum again. Throws ChainError if too few answer. */
  async assertEnough(): Promise<void> {
    if (!this.areEnough) await this.ask((client) => client.getChainId(), { agreeOn: String })
  }

  /**
   * Runs a step on one node after the other until an answer is accepted. If none is, returns the first answer. Nodes that
   * are behind are asked again a few times. Calls that the step makes in one tick share one HTTP request, except calls to
   * untrusted contracts.
   * @throws ChainError with a fixed message
   */
  async ask<T>(step: NodeRequest<T>, options: AskOptions<T> = {}): Promise<T> {
    let momentOf = this.momentsFor(options)
    for (let attempt = 0; ; attempt++) {
      const asked = await this.askOnce(step, options, momentOf)
      const pause = CHAIN_LIMITS.moments.pauses[attempt]
      if (!asked.isEarly || pause === undefined) {
        if ('answer' in asked) return asked.answer
        throw this.unavailable(asked.reason)
      }
      await sleep(pause)
      // nodes that are behind can reach the block; an answer that is not accepted needs a newer one
      if ('answer' in asked) momentOf = this.momentsFor(options)
    }
  }

  /** Returns the moments of one decision, by node. With a quorum all are of one block. */
  private momentsFor({ agreeOn, since = 0 }: AskOptions<never>): MomentOf {
    const agreed = agreeOn && this.needed > 1 ? once(() => this.agreedHead()) : undefined
    const known = new Map<ChainNode, Moment>()
    return (node) => {
      const moment = known.get(node) ?? new Moment(node.client, node.abilities, since, agreed)
      known.set(node, moment)
      return moment
    }
  }

  private async askOnce<T>(step: NodeRequest<T>, options: AskOptions<T>, momentOf: MomentOf): Promise<Asked<T>> {
    const { accept, agreeOn, unhedged, prefer } = options
    const quorum = agreeOn ? this.needed : 1
    const votes = new Map<string, number>()
    let rejected: { answer: T; isEarly: boolean } | undefined
    let isEarly = false
    const hedged = new HedgedRequest(
      this.inOrder(prefer),
      (node) => this.request(node, step, { unhedged, moment: momentOf(node) }),
      unhedged ? undefined : this.hedgeAfter,
    )
    for (let sent = 0; sent < quorum; sent++) hedged.sendToNext()
    for (let settled = await hedged.nextSettled(); settled; settled = await hedged.nextSettled()) {
      if ('error' in settled) {
        if (isContractError(settled.error)) return { reason: 'A call of the blockchain node failed.', isEarly: false }
        isEarly ||= isBehind(settled.error)
        hedged.sendToNext()
        continue
      }
      const { answer, node, isPinned } = settled
      if (accept && !accept(answer)) {
        rejected ??= { answer, isEarly: false }
        // another node of a balancer may be newer
        rejected.isEarly ||= isPinned && node.abilities.moments.areMixed
        hedged.sendToNext()
        continue
      }
      const vote = quorum === 1 ? '' : stringify(agreeOn?.(answer))
      votes.set(vote, (votes.get(vote) ?? 0) + 1)
      if (votes.get(vote) === quorum) {
        this.demote(hedged.overtakenBy(node))
        return { answer, isEarly: false }
      }
      hedged.sendToNext()
    }
    if (rejected && votes.size === 0) return { ...rejected, isEarly: isEarly || rejected.isEarly }
    return { reason: reasonOf(isEarly, votes.size), isEarly }
  }

  /** The quorum for orders and the index, at most the number of nodes. */
  get needed(): number {
    return Math.min(this.options.agreement, this.nodes.length)
  }

  /**
   * Runs a step on all healthy nodes, and on the others if fewer than the quorum answer. Returns the answers.
   * @throws ChainError if there is none
   */
  async askAll<T>(step: NodeRequest<T>): Promise<T[]> {
    const healthy = this.nodes.filter(({ isHealthy }) => isHealthy)
    if (healthy.length > 0) this.probe()
    const isEnough = healthy.length >= this.needed
    const outcomes = await this.requestAll(isEnough ? healthy : this.nodes, step)
    if (isEnough && outcomes.filter((one) => 'answer' in one).length < this.needed)
      outcomes.push(
        ...(await this.requestAll(
          this.nodes.filter((node) => !healthy.includes(node)),
          step,
        )),
      )
    const answers = outcomes.flatMap((one) => ('answer' in one ? [one.answer] : []))
    if (answers.length > 0) return answers
    const wasBehind = outcomes.some((one) => 'error' in one && isBehind(one.error))
    throw this.unavailable(reasonOf(wasBehind, 0))
  }

  private requestAll<T>(nodes: readonly ChainNode[], step: NodeRequest<T>): Promise<Settled<T>[]> {
    return Promise.all(nodes.map((node) => this.requestInTime(node, step)))
  }

  /** Runs a step on one node, again while the node is behind. */
  private async requestInTime<T>(node: ChainNode, step: NodeRequest<T>): Promise<Settled<T>> {
    for (const pause of CHAIN_LIMITS.moments.pauses) {
      const settled = await this.request(node, step)
      if (!('error' in settled && isBehind(settled.error))) return settled
      await sleep(pause)
    }
    return this.request(node, step)
  }

  /** Returns the highest block that as many nodes know as must agree. */
  private async agreedHead(): Promise<number> {
    const heads = await this.askAll((client) => client.getBlockNumber())
    const head = heads.map(Number).sort((a, b) => b - a)[this.needed - 1]
    if (head === undefined) throw this.unavailable()
    return head
  }

  /** Returns CHAIN_NOT_READY before the first answer of the chain, later CHAIN_UNAVAILABLE. */
  private unavailable(reason = 'The blockchain node did not answer.'): ChainError {
    return this.reached
      ? new ChainError('CHAIN_UNAVAILABLE', reason)
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

  private async request<T>(node: ChainNode, step: NodeRequest<T>, how: RequestOptions = {}): Promise<Settled<T>> {
    const { trace = untraced } = this.options
    const { abilities } = node
    const { unhedged, moment = new Moment(node.client, abilities) } = how
    const start = performance.now()
    node.inFlight += 1
    try {
      const at = (client: PublicClient) =>
        Promise.all([
          step(client, node.untrustedCalls(moment), abilities, moment),
          node.verified || client.getChainId(),
        ] as const)
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
      if (node.isHealthy || performance.now() - start <= this.hedgeAfter) node.succeeded(this.options.log, this.chainId)
      this.options.onOutcome?.(this.chainId, node.url.host, 'ok')
      return { node, answer, isPinned: moment.isUsed }
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
