import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@tidegate/common'
import { ChainError } from '@tidegate/protocol'
import type { PublicClient } from 'viem'
import type { Chain, Chains } from './chains.js'
import { HeadClock, type Moment, momentNow } from './head-clock.js'
import { CHAIN_LIMITS } from './limits.js'

const { tolerance, remembered } = CHAIN_LIMITS.clock

/** Times of blocks from this value on can only be in milliseconds: such a chain tells nothing. */
const MILLISECONDS = 100_000_000_000

/**
 * Compares the clock of this machine with the heads of all chains. Of the nodes of a chain, the majority decides, so that
 * one that lies or lags does not. Of several chains, those whose heads are of this very time speak
 * for the clock.
 */
export class ClockWatch {
  private readonly clocks = new Map<number, Map<PublicClient, HeadClock>>()
  private readonly reported = new Set<number>()
  private readonly stopped = new AbortController()

  /** `interval`: milliseconds between two looks at the heads. */
  constructor(
    private readonly chains: Chains,
    private readonly interval: number,
    private readonly log?: Logger,
  ) {}

  /** The proven offset of the clock by the heads of a chain, in whole seconds, negative if it is slow; null while no head was seen. */
  offset(chainId: number): number | null {
    const now = momentNow()
    const offset = this.offsetBy(chainId, now)
    if (offset === null) return null
    const refuted = offset > tolerance && !this.isWrongAt(now)
    return refuted ? 0 : Math.trunc(offset)
  }

  /** Whether the clock is known to be wrong by more than the tolerance: more chains prove that than speak against it. */
  get isWrong(): boolean {
    return this.isWrongAt(momentNow())
  }

  /** Whether orders of a chain could be judged by another time than that of their quotes. */
  isWrongOn(chainId: number): boolean {
    return Math.abs(this.offset(chainId) ?? 0) > tolerance
  }

  /** Seconds since the time of the newest head of a chain, by this clock; undefined while none was seen. */
  headAge(chainId: number): number | undefined {
    const now = momentNow()
    const ages = this.heard(chainId, now).map((clock) => clock.age(now))
    return ages.length > 0 ? Math.min(...ages) : undefined
  }

  /** Whether new heads of some chain were old when they arrived: further ones may prove that the clock is fast. */
  get isSuspect(): boolean {
    return [...this.clocks.values()].some((clocks) => [...clocks.values()].some(({ isSuspect }) => isSuspect))
  }

  /** Throws ChainError if a quote for this chain would carry a wrong time. Looks at the head if none was seen yet. */
  async assertQuotable({ chainId, nodes }: Pick<Chain, 'chainId' | 'nodes'>): Promise<void> {
    if (this.offset(chainId) === null) await nodes.ask((client) => this.see(chainId, client)).catch(() => undefined)
    if (!this.isWrongOn(chainId) && !this.isWrong) return
    const offset = this.offset(chainId) ?? 0
    const how = Math.abs(offset) > tolerance ? ` (${describeOffset(offset)} by chain ${chainId})` : ''
    throw new ChainError(
      'CLOCK_WRONG',
      `The clock of this provider is wrong${how}, so that an order could not be used. Do not pay. The operator must set the clock.`,
    )
  }

  /** Looks at the head of every chain once. Never rejects: a node that fails tells nothing. */
  async look(): Promise<void> {
    const looks = [...this.chains.values()].map(({ chainId, nodes }) =>
      nodes.askAll((client) => this.see(chainId, client)).catch(() => undefined),
    )
    await Promise.all(looks)
    this.report()
  }

  start(): void {
    void this.watch()
  }

  stop(): void {
    this.stopped.abort()
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopped
    while (!signal.aborted) {
      await this.look()
      await sleep(this.interval, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  private async see(chainId: number, client: PublicClient): Promise<void> {
    const head = await headAt(client)
    if (!head) return
    const clocks = this.clocks.get(chainId) ?? new Map<PublicClient, HeadClock>()
    this.clocks.set(chainId, clocks)
    const clock = clocks.get(client) ?? new HeadClock()
    clocks.set(client, clock)
    clock.see(head.number, head.time, momentNow())
  }

  /** The smallest offset that more than half of the nodes prove. */
  private offsetBy(chainId: number, now: Moment): number | null {
    const offsets = this.heard(chainId, now)
      .map((clock) => clock.offset(now))
      .sort((a, b) => a - b)
    if (offsets.length === 0) return null
    const middle = Math.floor(offsets.length / 2)
    return Math.min(0, offsets[middle] as number) + Math.max(0, offsets.at(-1 - middle) as number)
  }

  private heard(chainId: number, now: Moment): HeadClock[] {
    return [...(this.clocks.get(chainId)?.values() ?? [])].filter((clock) => clock.isFresh(now, remembered))
  }

  private isWrongAt(now: Moment): boolean {
    let [wrong, right] = [0, 0]
    for (const chainId of this.chains.keys()) {
      if (Math.abs(this.offsetBy(chainId, now) ?? 0) > tolerance) wrong += 1
      else if (this.isConfirmedBy(chainId, now)) right += 1
    }
    return wrong > right
  }

  private isConfirmedBy(chainId: number, now: Moment): boolean {
    const heard = this.heard(chainId, now)
    return heard.filter((clock) => Math.abs(clock.age(now)) <= tolerance).length > heard.length / 2
  }

  /** Logs when an offset is proven, and when it is over. */
  private report(): void {
    for (const chainId of this.chains.keys()) {
      const isWrong = this.isWrongOn(chainId)
      if (isWrong === this.reported.has(chainId)) continue
      const offset = this.offset(chainId) as number
      if (!isWrong) {
        this.reported.delete(chainId)
        this.log?.info({ chainId, offset }, 'the clock of this machine agrees with the chain again')
        continue
      }
      this.reported.add(chainId)
      const text = `the clock of this machine is ${describeOffset(offset)}, by the heads of this chain: no quotes are given`
      this.log?.error({ chainId, offset }, text)
    }
  }
}

/** Describes an offset in words: "3 days slow". */
export function describeOffset(offset: number): string {
  const seconds = Math.abs(offset)
  const [unit, size] = seconds >= 172_800 ? ['days', 86_400] : seconds >= 7200 ? ['hours', 3600] : ['minutes', 60]
  return `${Math.round(seconds / (size as number))} ${unit} ${offset < 0 ? 'slow' : 'fast'}`
}

async function headAt(client: PublicClient): Promise<{ number: number; time: number } | undefined> {
  const found = await client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
  const [number, time] = [Number(found?.number), Number(found?.timestamp)]
  const isUsable = Number.isSafeInteger(number) && number >= 0 && time > 0 && time < MILLISECONDS
  return isUsable ? { number, time } : undefined
}
