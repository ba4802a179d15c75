import { CHAIN_LIMITS, type Chain } from '@tidegate/chain'
import type { Logger } from '@tidegate/common'
import { ChainError } from '@tidegate/protocol'
import type { AdaptiveRange } from './blocks/adaptive-range.js'
import { type BlockRange, readRange } from './blocks/reader.js'
import { RangeRefused } from './blocks/requests.js'
import type { Checkpoint, Cursor, IndexGeneration } from './index-store.js'
import { EventTally } from './seen-events.js'

const LIMITS = CHAIN_LIMITS.confirmation

/** A difference between two readings: the first checkpoint whose block or events differ, and the one before it. */
interface Difference {
  from: Checkpoint
  at: Checkpoint
  /** Events of the second reading. */
  events: number
  /** Whether the second reading lacks events of the first one. */
  lacksEvents: boolean
}

/** Blocks to compare: after one checkpoint, up to another. */
type Comparison = { from: Checkpoint; to: Checkpoint } & ({ isFinal: true } | { isFinal: false; stage: number })

export interface SecondReadingOptions {
  /** Depth in blocks from which a block can become final. */
  reorgDepth: number
  /** Called for each correction. */
  onCorrected?: ((chainId: number) => void) | undefined
}

/**
 * Reads the newest blocks of one generation again, and compares their events with the first reading: a node may have given a list before
 * its events were there. A block becomes final when it is deep and old enough and both readings agree. Events that the first reading
 * lacks are corrected like a reorganisation. Events that the second reading lacks prove nothing: then it waits.
 */
export class SecondReading {
  /** Whether no bloom of this chain has been wrong. */
  trustsBlooms = true
  /** The final block: the oldest checkpoint; undefined before the first one. */
  final: number | undefined
  /** Applied ranges with their time by performance.now(). */
  private applied: { after: number; block: number; at: number }[] = []
  private readonly empty = new Set<number>()
  /** Blocks with incomplete evidence; undefined before the first step. */
  private open: number[] | undefined
  /** The last block of each early comparison that agreed. */
  private readonly compared: number[] = LIMITS.early.map(() => -1)
  private nextAt = 0
  private lackingSince: number | undefined
  /** The generation whose evidence this is; undefined before it exists. */
  private id: number | undefined

  constructor(
    private readonly chain: Chain,
    private readonly generation: IndexGeneration,
    private readonly range: AdaptiveRange,
    private readonly options: SecondReadingOptions,
    private readonly log: Logger,
  ) {}

  /** Records a range that is applied after a block. `provisional`: whether it can be rolled back. */
  note({ cursor, evidence }: BlockRange, after: number, provisional: boolean): void {
    if (!provisional) {
      this.endAt(cursor.block)
      return
    }
    this.applied.push({ after, block: cursor.block, at: performance.now() })
    for (const block of evidence?.empty ?? []) this.empty.add(block)
    // a range proves nothing about its blocks
    this.open = [...(this.open ?? []), ...(evidence?.open ?? [cursor.block])]
  }

  /** Whether blocks before the next one can be rolled back. */
  isProvisional(cursor: Cursor | undefined): boolean {
    return cursor !== undefined && this.final !== undefined && this.final < cursor.block
  }

  /**
   * Compares blocks whose second reading is due, and makes them final if they agree. `id`: the generation, if it exists. Returns the
   * checkpoint of a rollback, if one was necessary. Failures of nodes put the comparison off. Throws StateError.
   */
  async step(cursor: Cursor | undefined, head: number, id: number | undefined): Promise<Checkpoint | undefined> {
    const { chainId } = this.chain
    if (this.id !== undefined && this.id !== id) this.forget()
    this.id = id
    const checkpoints = cursor ? await this.generation.checkpoints(chainId) : []
    const base = checkpoints.at(-1)
    this.final = base?.block
    if (cursor) {
      // the chain may have been reorganised
      this.forgetAfter(cursor.block)
      if (!this.open) this.begin(cursor.block)
    }
    if (!cursor || !base || base.block === cursor.block || performance.now() < this.nextAt) return undefined
    const due = this.settled(checkpoints, base, head) ?? this.early(checkpoints, base, cursor)
    if (!due) return undefined
    const difference = await this.difference(checkpoints, due.from, due.to)
    if (difference === 'unknown') return this.putOff()
    if (difference && !difference.lacksEvents) return this.correct(difference)
    if (difference && !(due.isFinal && this.isLackingLong(difference))) return this.putOff()
    this.lackingSince = undefined
    if (!due.isFinal) this.compared[due.stage] = due.to.block
    else {
      await this.generation.confirm(chainId, due.to.block)
      this.endAt(due.to.block)
    }
    return undefined
  }

  /** Returns the blocks that are deep and old enough to become final, if there are enough of them. */
  private settled(checkpoints: Checkpoint[], from: Checkpoint, head: number): Comparison | undefined {
    const deep = head - this.options.reorgDepth
    const to = checkpoints.find(({ block }) => block <= Math.min(deep, this.appliedBefore(LIMITS.age)))
    if (!to || to.block <= from.block) return undefined
    // all blocks of a catch-up are deep
    const isMany = to.block - from.block >= LIMITS.blocks || to === checkpoints[0]
    return isMany ? { from, to, isFinal: true } : undefined
  }

  /** Returns blocks with incomplete evidence whose next comparison is due. */
  private early(checkpoints: Checkpoint[], base: Checkpoint, cursor: Cursor): Comparison | undefined {
    for (const [stage, { age, blocks }] of LIMITS.early.entries()) {
      const [old, compared] = [this.appliedBefore(age), this.compared[stage] as number]
      const to = checkpoints.find(({ block }) => block <= old)
      const from = checkpoints.find(({ block }) => block <= compared) ?? base
      if (!to || to.block <= from.block) continue
      const open = (this.open ?? []).filter((block) => block > from.block && block <= to.block)
      if (open.length >= blocks || (open.length > 0 && to.block === cursor.block))
        return { from, to, isFinal: false, stage }
    }
    return undefined
  }

  /** Begins after the last block of an earlier process: its evidence and age are unknown, so it is compared as if it were new. */
  private begin(block: number): void {
    this.applied.push({ after: -1, block, at: performance.now() })
    this.open = [block]
  }

  /** The last block that was applied at least so many milliseconds ago. */
  private appliedBefore(age: number): number {
    const latest = performance.now() - age
    return this.applied.findLast(({ at }) => at <= latest)?.block ?? this.applied[0]?.after ?? -1
  }

  /** Reads blocks between two checkpoints again. Undefined if all events are the same; `unknown` if the nodes do not give them now. */
  private async difference(
    checkpoints: Checkpoint[],
    from: Checkpoint,
    to: Checkpoint,
  ): Promise<Difference | 'unknown' | undefined> {
    const targets = checkpoints.filter(({ block }) => block > from.block && block <= to.block).toReversed()
    let tally = new EventTally()
    let [after, start]: [Cursor, Checkpoint] = [from, from]
    while (after.block < to.block) {
      const last = Math.min(to.block, after.block + this.range.blocks)
      const range = await this.read(after, last)
      if (!range) return 'unknown'
      for (let at = 0, target = targets[0]; ; at++) {
        const log = range.logs[at]
        const block = log ? Number(log.blockNumber) : last + 1
        // ends each checkpoint before this event's block
        for (; target && target.block < block && target.block <= last; target = targets[0]) {
          if (target.block === last) for (const address of range.unread) tally.addUnread(address)
          const { events, digest } = tally.seen
          const isReplaced = target.block === last && target.hash !== range.cursor.hash
          if (isReplaced || (target.digest !== null && target.digest !== digest))
            return { from: start, at: target, events, lacksEvents: !isReplaced && events < (target.events ?? 0) }
          start = target
          tally = new EventTally()
          targets.shift()
        }
        if (!log) break
        if (this.empty.has(block)) this.trustsBlooms = false
        tally.add(log)
      }
      after = range.cursor
    }
    return undefined
  }

  /** Reads blocks after one up to another by range; undefined if no node gives them now. */
  private async read(after: Cursor, last: number): Promise<BlockRange | undefined> {
    const { chain, generation } = this
    const first = after.block + 1
    // markets that were named later were unknown to the first reading
    const lookups: Pick<IndexGeneration, 'known' | 'emitters'> = {
      known: (chainId, kind, addresses) => generation.known(chainId, kind, addresses, after.block),
      emitters: (...args) => generation.emitters(...args),
    }
    try {
      const range = await readRange(chain, { first, last, after, firstNonFinal: last + 1 }, lookups)
      return typeof range === 'object' ? range : undefined
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      if (error instanceof RangeRefused) this.range.failed(last - first + 1, error.failure)
      return undefined
    }
  }

  private async correct({ from, at, events }: Difference): Promise<Checkpoint> {
    const { chainId } = this.chain
    this.log.warn(
      { chainId, from: at.block, to: from.block, events, before: at.events },
      'a second reading of recent blocks is different, index rolled back',
    )
    this.options.onCorrected?.(chainId)
    await this.generation.rollback(chainId, from)
    return from
  }

  /** Another generation has taken the place of this one, and nothing is known of its blocks. */
  private forget(): void {
    this.forgetAfter(-1)
    this.open = undefined
  }

  private forgetAfter(block: number): void {
    for (const [stage, compared] of this.compared.entries()) this.compared[stage] = Math.min(compared, block)
    this.applied = this.applied.filter((range) => range.block <= block)
    this.open = this.open?.filter((one) => one <= block)
    for (const one of this.empty) if (one > block) this.empty.delete(one)
  }

  /** Whether a second reading has lacked events for so long that the node has lost them. Events that were read once stay. */
  private isLackingLong({ at, events }: Difference): boolean {
    const now = performance.now()
    this.lackingSince ??= now
    const { chainId } = this.chain
    const isLong = now - this.lackingSince >= LIMITS.lacking
    if (isLong)
      this.log.warn(
        { chainId, block: at.block, events, before: at.events },
        'nodes have lost events that the index keeps',
      )
    return isLong
  }

  private putOff(): undefined {
    this.nextAt = performance.now() + LIMITS.retry
  }

  /** Records that all blocks up to one are final. */
  private endAt(last: number): void {
    this.final = last
    this.applied = this.applied.filter(({ block }) => block > last)
    this.open = this.open?.filter((block) => block > last)
    for (const block of this.empty) if (block <= last) this.empty.delete(block)
  }
}
