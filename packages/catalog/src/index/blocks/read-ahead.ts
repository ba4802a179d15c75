import type { Chain } from '@tidegate/chain'
import { CHAIN_LIMITS } from '@tidegate/chain'
import { CATALOG_LIMITS } from '../../limits.js'
import type { Cursor } from '../index-store.js'
import { fetchRange, type RawRange } from './reader.js'
import { RangeRefused } from './requests.js'

const MAX_EVENTS_AHEAD = CATALOG_LIMITS.index.events.ahead

/** Consecutive successes after which the concurrency grows by one. */
const RAISE_AFTER = 50

/** Number and characters of the events of a range. */
interface Density {
  events: number
  size: number
}

/** A density at which nothing is read ahead. */
const DENSE: Density = { events: MAX_EVENTS_AHEAD, size: CHAIN_LIMITS.chain.ahead }

/** Queued ranges per concurrent request, so that a late one does not stop the others. */
const WAITING = 2

/** One or more ranges that were read ahead. */
export interface RangesAhead {
  raw: RawRange
  /** Blocks of each request. */
  requests: number[]
}

/** A range that was requested before its turn. */
interface Ahead {
  first: number
  last: number
  /** Undefined if no node has it; `dropped` if the memory limit is reached. */
  raw: Promise<RawRange | Error | 'dropped' | undefined>
  /** The response, while it waits for its turn. */
  found?: RawRange
  /** Characters of the response, while it waits. */
  held: number
  controller: AbortController
}

/**
 * Requests ranges of final blocks ahead of the cursor, several concurrently, so that a catch-up does not wait a round trip per range.
 * The caller gets the ranges in order. If a range fails or does not follow the cursor, the queue is dropped and the caller reads that
 * range itself. The density of the last range decides how many are requested; CHAIN_LIMITS.chain.ahead limits their memory.
 */
export class ReadAhead {
  private queue: Ahead[] = []
  private ceiling: number
  private successes = 0
  private held = 0
  private inFlight = 0
  /** The last block to request, and the blocks of each request. */
  private wanted = { final: 0, blocks: 1 }
  /** The density of the last range. */
  private last: Density = DENSE

  /** `concurrency`: maximum requests in flight. */
  constructor(
    private readonly chain: Chain,
    private readonly concurrency: number,
  ) {
    this.ceiling = concurrency
  }

  /**
   * Returns the range that starts at `first`, joined with arrived ranges without events after it, so that they share a commit.
   * Requests further ranges up to block `final`. Undefined if nothing is read ahead now, the request failed, or the range does not
   * follow the cursor.
   */
  async next(
    first: number,
    final: number,
    blocks: number,
    cursor: Cursor | undefined,
  ): Promise<RangesAhead | undefined> {
    this.wanted = { final, blocks }
    if (this.queue[0]?.first !== first) this.drop()
    this.request(first)
    const ahead = this.queue.shift()
    if (!ahead) return undefined
    this.release(ahead)
    this.request(ahead.last + 1)
    const raw = await ahead.raw
    if (raw === 'dropped') this.last = DENSE
    else if (raw && 'logs' in raw && (!cursor || raw.before === cursor.hash)) return this.joined(ahead, raw)
    else this.failed(raw)
    return undefined
  }

  /** Records a range that was read, ahead or not: number and characters of its events. */
  succeeded(events: number, size: number): void {
    this.last = { events, size }
    this.successes += 1
    if (this.successes % RAISE_AFTER === 0) this.ceiling = Math.min(this.concurrency, this.ceiling + 1)
  }

  /** Records a failure and drops the queue. The next range is read alone. */
  failed(error: unknown): void {
    this.drop()
    this.last = DENSE
    // a refused size is no reason for less concurrency
    if (error instanceof RangeRefused) return
    this.successes = 0
    this.ceiling = Math.max(1, Math.floor(this.ceiling / 2))
  }

  /** Drops the queue and aborts the requests in flight. */
  drop(): void {
    for (const ahead of this.queue) {
      this.release(ahead)
      ahead.controller.abort()
    }
    this.queue = []
  }

  private get depth(): number {
    const { events, size } = this.last
    const most = Math.min(MAX_EVENTS_AHEAD / (events + 1), CHAIN_LIMITS.chain.ahead / (size + 1))
    // reading ahead needs at least two concurrent requests
    return this.ceiling < 2 ? 0 : Math.min(WAITING * this.ceiling, Math.floor(most))
  }

  /** Joins a range with the arrived ranges without events after it. */
  private joined(ahead: Ahead, raw: RawRange): RangesAhead {
    const requests = [ahead.last - ahead.first + 1]
    let { end, time } = raw
    for (let next = this.queue[0]; next?.found; next = this.queue[0]) {
      if (next.found.logs.length > 0 || next.found.before !== end.hash) break
      ;({ end, time } = next.found)
      requests.push(next.last - next.first + 1)
      this.queue.shift()
      this.release(next)
    }
    this.request(end.block + 1)
    return { raw: { ...raw, end, time }, requests }
  }

  private request(from: number): void {
    if (this.depth < 1) return
    const { final, blocks } = this.wanted
    let first = (this.queue.at(-1)?.last ?? from - 1) + 1
    while (this.inFlight < this.ceiling && this.queue.length < this.depth && first <= final) {
      const last = Math.min(final, first + blocks - 1)
      this.queue.push(this.requested(first, last))
      first = last + 1
    }
  }

  private requested(first: number, last: number): Ahead {
    const controller = new AbortController()
    this.inFlight += 1
    const raw = fetchRange(this.chain, first, last, controller.signal)
      .finally(() => {
        this.inFlight -= 1
      })
      .then(
        (found) => (found && this.queue.includes(ahead) ? this.hold(ahead, found) : found),
        (error: Error) => error,
      )
    const ahead: Ahead = { first, last, raw, held: 0, controller }
    return ahead
  }

  /** Holds a response until its turn, and requests the next range. */
  private hold(ahead: Ahead, found: RawRange): RawRange | 'dropped' {
    if (this.held + found.size > CHAIN_LIMITS.chain.ahead) return 'dropped'
    ahead.held = found.size
    ahead.found = found
    this.held += found.size
    this.request(ahead.last + 1)
    return found
  }

  /** Releases the memory of a response. */
  private release(ahead: Ahead): void {
    this.held -= ahead.held
    ahead.held = 0
  }
}
