import type { Chain } from '@tidegate/chain'
import { CHAIN_LIMITS } from '@tidegate/chain'
import type { Cursor } from '../index-store.js'
import { fetchRange, type RawRange } from './reader.js'
import { RangeRefused } from './requests.js'

/** Events of ranges that were read ahead and wait for their turn. Above that, no further range is requested. */
const MAX_EVENTS_AHEAD = 4000

/** Consecutive successes after which one request more may be in flight again. */
const RAISE_AFTER = 50

/** Events of a range, and the characters that they take. */
interface Density {
  events: number
  size: number
}

/** Of what nothing is read ahead. */
const DENSE: Density = { events: MAX_EVENTS_AHEAD, size: CHAIN_LIMITS.chain.ahead }

/**
 * Ranges that wait or are in flight, for each request in flight: the others are not held up by one that is late, nor
 * while the caller looks at the head of the chain.
 */
const WAITING = 2

/** Ranges of one answer of `next`. */
export interface RangesAhead {
  raw: RawRange
  /** Blocks of each request whose answer is in it. */
  requests: number[]
}

/** A range that was requested before its turn. */
interface Ahead {
  first: number
  last: number
  /** Undefined if no node has it; `dropped` if there was no room for it. */
  raw: Promise<RawRange | Error | 'dropped' | undefined>
  /** What came and waits. */
  found?: RawRange
  /** Characters that it holds while it waits. */
  held: number
  controller: AbortController
}

/**
 * Requests the ranges after the cursor before their turn, several concurrently, so that a long chain is not read at the pace
 * of one round trip for each range. Only of final blocks. What comes is applied in order; where a range fails, or does
 * not follow the cursor, everything ahead is dropped and the caller reads that range by itself, with its error handling.
 * How many are requested follows from the last range. Where the next ones turn out to be far larger, as many wait as
 * there is room for: the memory of a catch-up is that of one range, and CHAIN_LIMITS.chain.ahead.
 */
export class ReadAhead {
  private queue: Ahead[] = []
  private ceiling: number
  private successes = 0
  private held = 0
  private inFlight = 0
  /** The last block to request, and the blocks of each request. */
  private wanted = { final: 0, blocks: 1 }
  /** The last range: dense ranges are not read ahead, since they would pile up in memory. */
  private last: Density = DENSE

  /** `concurrency`: most requests in flight. */
  constructor(
    private readonly chain: Chain,
    private readonly concurrency: number,
  ) {
    this.ceiling = concurrency
  }

  /**
   * The range that starts at `first`, and requests those that follow it, up to block `final`. Ranges without events that
   * follow it and have come are part of it, so that they share its commit. Undefined if nothing is read ahead now, the
   * request failed, or the range does not follow the cursor.
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

  /** Records that a range was read, by whatever way, how many events it had, and how many characters they took. */
  succeeded(events: number, size: number): void {
    this.last = { events, size }
    this.successes += 1
    if (this.successes % RAISE_AFTER === 0) this.ceiling = Math.min(this.concurrency, this.ceiling + 1)
  }

  /** Drops everything ahead; the next range is read alone. */
  failed(error: unknown): void {
    this.drop()
    this.last = DENSE
    // not for the number of requests, but for the size of one
    if (error instanceof RangeRefused) return
    this.successes = 0
    this.ceiling = Math.max(1, Math.floor(this.ceiling / 2))
  }

  /** Drops everything ahead, and ends the requests in flight. */
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
    // one request at a time gains nothing over the caller's own
    return this.ceiling < 2 ? 0 : Math.min(WAITING * this.ceiling, Math.floor(most))
  }

  /** A range, and those without events that follow it and have come. */
  private joined(ahead: Ahead, raw: RawRange): RangesAhead {
    const requests = [ahead.last - ahead.first + 1]
    let { end } = raw
    for (let next = this.queue[0]; next?.found; next = this.queue[0]) {
      if (next.found.logs.length > 0 || next.found.before !== end.hash) break
      end = next.found.end
      requests.push(next.last - next.first + 1)
      this.queue.shift()
      this.release(next)
    }
    this.request(end.block + 1)
    return { raw: { ...raw, end }, requests }
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

  /** It waits for its turn, and the next one is requested in its place. */
  private hold(ahead: Ahead, found: RawRange): RawRange | 'dropped' {
    if (this.held + found.size > CHAIN_LIMITS.chain.ahead) return 'dropped'
    ahead.held = found.size
    ahead.found = found
    this.held += found.size
    this.request(ahead.last + 1)
    return found
  }

  /** Its turn has come, or it is not wanted any more. */
  private release(ahead: Ahead): void {
    this.held -= ahead.held
    ahead.held = 0
  }
}
