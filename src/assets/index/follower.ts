import type { Chain } from '../../chain/chains.js'
import type { Logger } from '../../logger.js'
import type { Cursor, IndexStore, Readings } from '../../state/store.js'
import { Advance, type AdvanceOptions } from './advance.js'
import { Rebuild } from './rebuild.js'
import { ancestorOf, look, type Seen } from './views.js'

export interface FollowerOptions extends AdvanceOptions {
  /** Milliseconds between two looks at the head. */
  pollInterval: number
  /** Told when the index of a chain has changed, by this instance or another one. */
  onMoved?: (chainId: number) => void
  /** Told when everything after a block was taken back. */
  onRollback?: (chainId: number, block: number) => void
}

/** How far an index has come. */
export interface IndexProgress {
  chainId: number
  /** Last block read; null before the first one. */
  block: number | null
  /** Head of the chain when it was last seen with what was read; null when no node has answered so yet. */
  head: number | null
  /** Milliseconds since then. */
  age: number | null
  /** Blocks that are left to read; null while the head is not known. */
  lag: number | null
  /** Whether the chain has other blocks by now than those that were read. */
  astray: boolean
  /** Last block of a reading that is to replace this one; null where there is none, or it has not begun. */
  rereading: number | null
}

/** Longest pause after failures, in milliseconds. */
const MAX_PAUSE = 30_000

/** Milliseconds after which it is said that no node knows what was read, and then between two such lines. */
const UNKNOWN_INTERVAL = 30_000

/**
 * Keeps the index of one chain at the head: reads bounded ranges of blocks, applies each with the cursor in one
 * transaction, and so goes on where it was after any end of the process. When the chain is reorganised it goes back to
 * the last block that is still there; where that is too far back, the chain is read again beside what was read of it.
 */
export class ChainFollower {
  private running: Promise<void> | undefined
  private wake: () => void = () => undefined
  private readonly stopping = new AbortController()
  private readonly advance: Advance
  private readonly rebuild: Rebuild
  private head: number | null = null
  private seenAt = performance.now()
  private block: number | null = null
  private lastTold = 0
  private astray = false
  private rereading: number | null = null
  private seen: Readings['live']

  constructor(
    private readonly chain: Chain,
    private readonly index: IndexStore,
    private readonly options: FollowerOptions,
    private readonly log: Logger,
  ) {
    const reading = { ...options, signal: this.stopping.signal }
    this.advance = new Advance(chain, index, reading, log)
    this.rebuild = new Rebuild(chain, index, reading, log)
  }

  get progress(): IndexProgress {
    const head = this.head
    const block = this.block
    const next = (block ?? this.chain.deployment.startBlock - 1) + 1
    const where = { chainId: this.chain.chainId, block, astray: this.astray, rereading: this.rereading }
    if (head === null) return { ...where, head, age: null, lag: null }
    return { ...where, head, age: Math.round(this.unseenFor), lag: Math.max(0, head + 1 - next) }
  }

  /** Milliseconds since nodes last knew what was read. */
  private get unseenFor(): number {
    return performance.now() - this.seenAt
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted
  }

  start(): void {
    this.running ??= this.loop()
  }

  /** Ends after the range that is being applied; one whose documents are still being read is left. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.wake()
    await this.running
  }

  private async loop(): Promise<void> {
    let failures = 0
    while (!this.stopped) {
      try {
        const atHead = await this.step()
        failures = 0
        if (atHead) await this.pause(this.options.pollInterval)
      } catch (error) {
        if (this.stopped) return
        failures += 1
        const pause = Math.min(MAX_PAUSE, this.options.pollInterval * 2 ** Math.min(failures, 10))
        this.log.warn({ chainId: this.chain.chainId, reason: (error as Error).message, pause }, 'index cannot go on')
        await this.pause(pause)
      }
    }
  }

  /** Reads one range. True when there was nothing left to read, or nothing can be read now. */
  async step(): Promise<boolean> {
    const { chain, index } = this
    const { chainId } = chain
    const readings = await index.readings(chainId)
    const { live, next, old } = readings
    this.rereading = next?.cursor?.block ?? null
    await this.noticeMove(live)
    const seen = await look(chain, index, live?.cursor)
    this.note(live?.cursor, seen)
    if (!(await index.lead(chainId))) return true
    const swept = old && (await index.sweep(chainId))
    let failure: unknown
    const rests = await this.keep(readings, seen).catch((error) => {
      failure = error
      return true
    })
    // the next reading goes on where the live one is at the head, or cannot
    const nextRests = !next || !rests || (await this.rebuild.step(readings, seen, this.unseenFor))
    if (failure && nextRests) throw failure
    return rests && nextRests && !swept
  }

  /** Keeps the live reading at the head. */
  private async keep({ live, next }: Readings, { verdict, heads }: Seen): Promise<boolean> {
    const { chain, index, options } = this
    if (live && verdict === 'other') return this.goBack(live.cursor, next !== undefined)
    // what was begun in doubt has no reason any more
    if (live && verdict === 'same' && next && !next.wanted) await index.giveUp(chain.chainId)
    const { rests, cursor } = await this.advance.readOn(live?.cursor, heads)
    if (!cursor) return rests
    this.block = cursor.block
    if (this.seen) this.seen = { ...this.seen, cursor }
    options.onMoved?.(chain.chainId)
    return rests
  }

  /** Goes back to the last block that is still on the chain, or begins to read it again where that is too far back. */
  private async goBack(cursor: Cursor, begun: boolean): Promise<boolean> {
    const { chain, index, options, log } = this
    const { chainId } = chain
    const ancestor = await ancestorOf(chain, await index.checkpoints(chainId))
    if (ancestor === undefined) return true
    if (ancestor === 'gone') {
      if (begun) return true
      log.warn({ chainId, block: cursor.block }, 'chain history changed, reading the chain again beside the index')
      await index.begin(chainId, false)
      return false
    }
    if (ancestor.block === cursor.block) return false
    log.warn({ chainId, from: cursor.block, to: ancestor.block }, 'chain was reorganised, index goes back')
    await index.rollback(chainId, ancestor)
    this.block = ancestor.block
    if (this.seen) this.seen = { ...this.seen, cursor: ancestor }
    options.onMoved?.(chainId)
    options.onRollback?.(chainId, ancestor.block)
    return false
  }

  /** Takes note of what the nodes see. A head without what was read is no sign of how far the index has come. */
  private note(cursor: Cursor | undefined, { heads, verdict }: Seen): void {
    this.block = cursor?.block ?? null
    this.astray = verdict === 'other'
    const now = performance.now()
    if (verdict !== 'unknown') {
      this.head = heads[0] as number
      this.seenAt = now
      return
    }
    if (Math.min(this.unseenFor, now - this.lastTold) < UNKNOWN_INTERVAL) return
    this.lastTold = now
    const { chainId } = this.chain
    this.log.warn({ chainId, block: cursor?.block, head: heads[0] }, 'nodes do not know the block that was read last')
  }

  /** Another instance may have read on, or have taken back or replaced what this one has seen. */
  private async noticeMove(live: Readings['live']): Promise<void> {
    const seen = this.seen
    this.seen = live
    if (seen?.id === live?.id && seen?.cursor.block === live?.cursor.block && seen?.cursor.hash === live?.cursor.hash)
      return
    const { chainId } = this.chain
    this.options.onMoved?.(chainId)
    if (!seen) return
    if (seen.id !== live?.id) return this.options.onRollback?.(chainId, -1)
    const { block: last, hash: known } = seen.cursor
    const checkpoints = await this.index.checkpoints(chainId)
    const isFinal = last < (checkpoints.at(-1)?.block ?? 0)
    if (isFinal || checkpoints.some(({ block, hash }) => block === last && hash === known)) return
    this.options.onRollback?.(chainId, checkpoints.find(({ block }) => block < last)?.block ?? -1)
  }

  private pause(milliseconds: number): Promise<void> {
    if (this.stopped) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
