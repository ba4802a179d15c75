import type { Chain } from '../../chain/chains.js'
import type { Logger } from '../../logger.js'
import type { Cursor, IndexStore } from '../../state/store.js'
import type { DocumentReader } from '../documents.js'
import { applyRange } from './apply.js'
import { Pace } from './pace.js'
import { type BlockRange, RangeRefused, readRange } from './reader.js'
import { commonAncestor, isOtherHistory, viewsOf } from './views.js'

export interface FollowerOptions {
  /** Most blocks asked for at once. */
  blockRange: number
  /** Milliseconds between two looks at the head. */
  pollInterval: number
  documents: DocumentReader
  /** Blocks below the head that a reorganisation may replace without the chain being read anew. */
  reorgDepth: number
  /** Told when the index of a chain has changed, by this instance or another one. */
  onMoved?: (chainId: number) => void
  /** Told when everything after a block was taken back. */
  onRollback?: (chainId: number, block: number) => void
  /** Told of each event that cannot be in the index. */
  onLeftOut?: (chainId: number) => void
}

/** How far an index has come. */
export interface IndexProgress {
  chainId: number
  /** Last block read; null before the first one. */
  block: number | null
  /** Head of the chain when it was last seen; null when no node has answered yet. */
  head: number | null
  /** Milliseconds since then. */
  age: number | null
  /** Blocks that are left to read; null while the head is not known. */
  lag: number | null
}

/** Longest pause after failures, in milliseconds. */
const MAX_PAUSE = 30_000

/** Milliseconds between two lines in the log about how far a long catch-up has come. */
const PROGRESS_INTERVAL = 10_000

/**
 * Keeps the index of one chain at the head: reads bounded ranges of blocks, applies each with the cursor in one
 * transaction, and so goes on where it was after any end of the process. When the chain is reorganised it goes back to
 * the last block that is still there.
 */
export class ChainFollower {
  private running: Promise<void> | undefined
  private wake: () => void = () => undefined
  private readonly stopping = new AbortController()
  private readonly pace: Pace
  private head: number | null = null
  private seenAt = 0
  private block: number | null = null
  private lastTold = 0
  private seen: Cursor | undefined

  constructor(
    private readonly chain: Chain,
    private readonly index: IndexStore,
    private readonly options: FollowerOptions,
    private readonly log: Logger,
  ) {
    this.pace = new Pace(options.blockRange)
  }

  get progress(): IndexProgress {
    const head = this.head
    const block = this.block
    const next = (block ?? this.chain.deployment.startBlock - 1) + 1
    const { chainId } = this.chain
    if (head === null) return { chainId, block, head, age: null, lag: null }
    return { chainId, block, head, age: Math.round(performance.now() - this.seenAt), lag: Math.max(0, head + 1 - next) }
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
    const cursor = await index.cursor(chain.chainId)
    await this.noticeMove(cursor)
    const views = await viewsOf(chain, cursor)
    // nodes that lag tell a lower head: the highest is the chain's, if a node can be found that has it
    const heads = [...new Set(views.map(({ head }) => head))].sort((a, b) => b - a)
    this.block = cursor?.block ?? null
    this.head = heads[0] as number
    this.seenAt = performance.now()
    if (!(await index.lead(chain.chainId))) return true
    if (cursor && isOtherHistory(views, cursor, chain.nodes.count)) {
      await this.goBack(cursor)
      return false
    }
    for (const head of heads) {
      const from = cursor ? cursor.block + 1 : chain.deployment.startBlock
      // what is final and what may be taken back never share a batch
      const final = head - this.options.reorgDepth
      const to = Math.min(from <= final ? final : head, from + this.pace.blocks - 1)
      if (from > to) break
      const done = await this.advance(cursor, from, to, head)
      if (done !== undefined) return done
    }
    return true
  }

  /** Reads and applies a range. Undefined where no node has it. */
  private async advance(cursor: Cursor | undefined, from: number, to: number, head: number) {
    const { chain, options, log } = this
    const { chainId } = chain
    const final = head - options.reorgDepth
    const wanted = { first: from, last: to, after: cursor, fragileFrom: final + 1 }
    let range: BlockRange | undefined
    try {
      range = await readRange(chain, wanted, this.index)
    } catch (error) {
      this.pace.failed(to - from + 1)
      if (!(error instanceof RangeRefused) || from === to) throw error
      // fewer blocks at once: nothing to wait for
      log.info({ chainId, from, to, reason: error.reason }, 'nodes do not give so many blocks at once')
      return false
    }
    if (!range) {
      // besides nodes that lag there may be some that have the blocks, but do not give so many at once
      this.pace.failed(to - from + 1)
      return undefined
    }
    if (range.inParts) log.warn({ chainId, block: to, reason: range.inParts }, 'block is read in parts')
    this.pace.succeeded(to - from + 1, range.logs.length + range.others)
    const applied = await applyRange(range, {
      chain,
      index: this.index,
      from: cursor,
      keepSince: to > final ? Math.max(final, 0) : undefined,
      reading: { documents: options.documents, signal: this.stopping.signal },
      log,
      onLeftOut: () => options.onLeftOut?.(chainId),
    })
    if (!applied) return false
    this.block = to
    this.seen = range.cursor
    options.onMoved?.(chainId)
    this.tellProgress(to, head)
    return to === head
  }

  /** Goes back to the last block that is still on the chain, or to the start where it is too far back. */
  private async goBack(cursor: Cursor): Promise<void> {
    const { chain, index, options, log } = this
    const { chainId } = chain
    const ancestor = await commonAncestor(chain, await index.checkpoints(chainId))
    if (ancestor) {
      log.warn({ chainId, from: cursor.block, to: ancestor.block }, 'chain was reorganised, index goes back')
      await index.rollback(chainId, ancestor)
    } else {
      log.warn({ chainId, block: cursor.block }, 'chain history changed, reading the chain again')
      await index.reset(chainId)
    }
    this.block = ancestor?.block ?? null
    this.seen = ancestor
    options.onMoved?.(chainId)
    options.onRollback?.(chainId, ancestor?.block ?? -1)
  }

  /** Another instance may have read on, or have taken back what this one has seen. */
  private async noticeMove(cursor: Cursor | undefined): Promise<void> {
    const seen = this.seen
    this.seen = cursor
    if (seen?.block === cursor?.block && seen?.hash === cursor?.hash) return
    const { chainId } = this.chain
    this.options.onMoved?.(chainId)
    if (!seen) return
    const checkpoints = await this.index.checkpoints(chainId)
    const isFinal = seen.block < (checkpoints.at(-1)?.block ?? 0)
    if (isFinal || checkpoints.some(({ block, hash }) => block === seen.block && hash === seen.hash)) return
    this.options.onRollback?.(chainId, checkpoints.find(({ block }) => block < seen.block)?.block ?? -1)
  }

  private tellProgress(block: number, head: number): void {
    const now = Date.now()
    if (block === head || now - this.lastTold < PROGRESS_INTERVAL) return
    this.lastTold = now
    this.log.info({ chainId: this.chain.chainId, block, head, left: head - block }, 'index catches up')
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
