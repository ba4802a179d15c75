import type { Logger } from '@tidegate/common'
import type { PublicClient } from 'viem'
import { CHAIN_LIMITS } from '../limits.js'
import { type Ability, NodeAbilities } from '../rpc/abilities.js'
import { rpcClient } from '../rpc/clients.js'
import { untrustedCalls } from '../untrusted-calls.js'
import { NodeStateLog } from './node-state-log.js'

/** Consecutive failures that open the circuit: the node then gets one request at a time, as the last choice. */
const FAILURES_TO_OPEN = 3
const { first: FIRST_BACKOFF, longest: MAX_BACKOFF } = CHAIN_LIMITS.nodes.backoff

export interface NodeHealth {
  host: string
  /** Whether it answered the last request. */
  answers: boolean
  /** Its known limits, as predicates. */
  limits: string[]
  /** The reason of its failure, as a predicate. */
  failure?: string
}

/** One node of a chain with its health: exponential backoff after failures, and a circuit breaker. */
export class ChainNode {
  readonly client: PublicClient
  readonly untrustedCalls: ReturnType<typeof untrustedCalls>
  /** Whether its chain id has been verified. */
  verified = false
  inFlight = 0
  private failures = 0
  private backoffUntil = 0
  private failing = false
  private reason: string | undefined
  readonly abilities: NodeAbilities
  private readonly reported = new Map<Ability, string>()
  private readonly stateLog = new NodeStateLog()

  private unbatchedClient: PublicClient | undefined

  /** `isAlone`: whether no other node is healthy. `onRepeated` gets the number of logs that an answer repeated. */
  constructor(
    readonly url: URL,
    private readonly timeout: number,
    isAlone: () => boolean,
    onRepeated?: (logs: number) => void,
  ) {
    this.abilities = new NodeAbilities(isAlone, onRepeated)
    this.client = rpcClient(url, { timeout, abilities: this.abilities })
    this.untrustedCalls = untrustedCalls(url, timeout, this.abilities)
  }

  /** A client that sends each call as a separate HTTP request. */
  get unbatched(): PublicClient {
    this.unbatchedClient ??= rpcClient(this.url, { timeout: this.timeout, batch: false, abilities: this.abilities })
    return this.unbatchedClient
  }

  /** Whether the node has not failed since its last success or recovery. */
  get isHealthy(): boolean {
    return !this.failing
  }

  /** Whether the node has failed too often in a row. */
  get isCircuitOpen(): boolean {
    return this.failing && this.failures >= FAILURES_TO_OPEN
  }

  /** The reason of the last failure; undefined while the node is healthy. */
  get failure(): string | undefined {
    return this.failing ? this.reason : undefined
  }

  /** Milliseconds until the node may be probed. */
  get backoffLeft(): number {
    return Math.max(0, this.backoffUntil - Date.now())
  }

  /** Logs once when a limit of the node becomes known, and once when it ends. */
  reportLimits(log: Logger | undefined, chainId: number): void {
    const { limits } = this.abilities
    if (limits.size === 0 && this.reported.size === 0) return
    for (const [ability, limit] of limits) {
      if (this.reported.has(ability)) continue
      this.reported.set(ability, limit)
      log?.warn({ chainId, node: this.url.host, limit }, 'chain node has a limit')
    }
    for (const [ability, limit] of this.reported) {
      if (limits.has(ability)) continue
      this.reported.delete(ability)
      log?.info({ chainId, node: this.url.host, limit }, 'chain node limit has ended')
    }
  }

  /** Records a success: resets backoff and failure count. */
  succeeded(log: Logger | undefined, chainId: number): void {
    this.failures = 0
    this.failing = false
    this.stateLog.works(log, chainId, this.url.host)
  }

  /** Records a successful probe. The failure count stays: the node may still fail at larger requests. */
  recovered(): void {
    this.failing = false
  }

  /** Records a failure and backs off, for at least `retryAfter` milliseconds. */
  failed(reason: string, log: Logger | undefined, chainId: number, retryAfter = 0): void {
    // concurrent requests that fail together count as one failure
    if (this.failing && this.backoffLeft > 0) return
    this.failures += 1
    this.failing = true
    this.reason = reason
    const backoff = Math.max(Math.min(MAX_BACKOFF, FIRST_BACKOFF * 2 ** (this.failures - 1)), retryAfter)
    this.backoffUntil = Date.now() + backoff
    this.stateLog.failed(log, { chainId, node: this.url.host, reason, backoff }, this.isCircuitOpen)
  }
}
