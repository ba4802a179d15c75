import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@tidegate/common'
import { ChainError } from '@tidegate/protocol'
import { FIRST_MILLISECONDS, SECONDS } from '@tidegate/protocol/constants'
import type { PublicClient } from 'viem'
import type { Chain, Chains } from '../chains.js'
import { CHAIN_LIMITS } from '../limits.js'
import { HeadClock, type Moment, momentNow } from './head-clock.js'

const { tolerance, remembered, closely, closeLooks, arrivals } = CHAIN_LIMITS.clock

/**
 * Compares the clock of this machine with the heads of all chains. On each chain the majority of nodes decides. A chain
 * with a current head confirms the clock against chains that prove it fast.
 */
export class ClockWatch {
  private readonly clocks = new Map<number, Map<PublicClient, HeadClock>>()
  private readonly reported = new Set<number>()
  private readonly stopped = new AbortController()

  /** `interval`: milliseconds between polls of the heads. */
  constructor(
    private readonly chains: Chains,
    private readonly interval: number,
    private readonly log?: Logger,
  ) {}

  /** Returns the offset that a chain proves, in whole seconds: negative if the clock is slow. Null before the first head. */
  offset(chainId: number): number | null {
    const now = momentNow()
    const offset = this.offsetBy(chainId, now)
    if (offset === null) return null
    const refuted = offset > tolerance && !this.isWrongAt(now)
    return refuted ? 0 : Math.trunc(offset)
  }

  /** Whether more chains prove a wrong clock (beyond the tolerance) than confirm it. */
  get isWrong(): boolean {
    return this.isWrongAt(momentNow())
  }

  /** Whether the clock is off by more than the tolerance on this chain: then quotes would carry a wrong time. */
  isWrongOn(chainId: number): boolean {
    return Math.abs(this.offset(chainId) ?? 0) > tolerance
  }

  /** Seconds since the block time of the newest head, by this clock; undefined before the first head. */
  headAge(chainId: number): number | undefined {
    const now = momentNow()
    const ages = this.heard(chainId, now).map((clock) => clock.age(now))
    return ages.length > 0 ? Math.min(...ages) : undefined
  }

  /** Whether new heads of some chain arrived old: further ones may prove that the clock is fast. */
  get isSuspect(): boolean {
    return [...this.clocks.values()].some((clocks) => [...clocks.values()].some(({ isSuspect }) => isSuspect))
  }

  /** Throws ChainError if a quote for this chain would carry a wrong time. Requests the head if none is known yet. */
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

  /** Requests the head of every chain once. Never rejects: failed nodes are ignored. */
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
    let [looks, suspicious] = [0, 0]
    while (!signal.aborted) {
      await this.look()
      looks += 1
      suspicious = this.isSuspect ? suspicious + 1 : 0
      const isClose = looks < arrivals || (suspicious > 0 && suspicious <= closeLooks)
      const pause = isClose ? Math.min(closely, this.interval) : this.interval
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined)
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

  /** Logs when a chain begins or ceases to prove an offset. */
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
      const text = `the clock of this machine is ${describeOffset(offset)} by the heads of this chain: quotes are refused`
      this.log?.error({ chainId, offset }, text)
    }
  }
}

/** Describes an offset in words: "3 days slow". */
export function describeOffset(offset: number): string {
  const seconds = Math.abs(offset)
  const { day, hour, minute } = SECONDS
  const [unit, size] = seconds >= 2 * day ? ['days', day] : seconds >= 2 * hour ? ['hours', hour] : ['minutes', minute]
  return `${Math.round(seconds / (size as number))} ${unit} ${offset < 0 ? 'slow' : 'fast'}`
}

async function headAt(client: PublicClient): Promise<{ number: number; time: number } | undefined> {
  const found = await client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
  const [number, time] = [Number(found?.number), Number(found?.timestamp)]
  const isUsable = Number.isSafeInteger(number) && number >= 0 && time > 0 && time < FIRST_MILLISECONDS
  return isUsable ? { number, time } : undefined
}
