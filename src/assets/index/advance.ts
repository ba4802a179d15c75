import type { Chain } from '../../chain/chains.js'
import type { Logger } from '../../logger.js'
import type { Cursor, IndexReading } from '../../state/store.js'
import type { DocumentReader } from '../documents.js'
import { applyRange } from './apply.js'
import { Pace } from './pace.js'
import { type BlockRange, RangeRefused, readRange } from './reader.js'

export interface AdvanceOptions {
  /** Most blocks asked for at once. */
  blockRange: number
  documents: DocumentReader
  /** Blocks below the head that a reorganisation may replace without the chain being read anew. */
  reorgDepth: number
  /** Told of each event that cannot be in the index. */
  onLeftOut?: (chainId: number) => void
}

/** Where a reading is after a range was tried. */
export interface Advanced {
  /** Whether there was nothing left to read, or nothing can be read now. */
  rests: boolean
  /** What was read; undefined where nothing was. */
  cursor?: Cursor
}

/** Milliseconds between two lines in the log about how far a long catch-up has come. */
const PROGRESS_INTERVAL = 10_000

/** Reads a chain on for one reading of it, range by range. */
export class Advance {
  private readonly pace: Pace
  private lastTold = 0

  constructor(
    private readonly chain: Chain,
    private readonly reading: IndexReading,
    private readonly options: AdvanceOptions & { signal: AbortSignal },
    private readonly log: Logger,
  ) {
    this.pace = new Pace(options.blockRange)
  }

  /** Reads one range behind the cursor: up to the first of the heads that a node has. Throws what stops it. */
  async readOn(cursor: Cursor | undefined, heads: number[]): Promise<Advanced> {
    const from = cursor ? cursor.block + 1 : this.chain.deployment.startBlock
    for (const head of heads) {
      // what is final and what may be taken back never share a batch
      const final = head - this.options.reorgDepth
      const to = Math.min(from <= final ? final : head, from + this.pace.blocks - 1)
      if (from > to) break
      const done = await this.read(cursor, from, to, head)
      if (done) return done
    }
    return { rests: true }
  }

  /** Reads and applies a range. Undefined where no node has it. */
  private async read(
    cursor: Cursor | undefined,
    from: number,
    to: number,
    head: number,
  ): Promise<Advanced | undefined> {
    const { chain, options, log } = this
    const { chainId } = chain
    const final = head - options.reorgDepth
    const wanted = { first: from, last: to, after: cursor, fragileFrom: final + 1 }
    let range: BlockRange | undefined
    try {
      range = await readRange(chain, wanted, this.reading)
    } catch (error) {
      this.pace.failed(to - from + 1)
      if (!(error instanceof RangeRefused) || from === to) throw error
      // fewer blocks at once: nothing to wait for
      log.info({ chainId, from, to, reason: error.reason }, 'nodes do not give so many blocks at once')
      return { rests: false }
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
      index: this.reading,
      from: cursor,
      keepSince: to > final ? Math.max(final, 0) : undefined,
      reading: { documents: options.documents, signal: options.signal },
      log,
      onLeftOut: () => options.onLeftOut?.(chainId),
    })
    if (!applied) return { rests: false }
    this.tellProgress(to, head)
    return { rests: to === head, cursor: range.cursor }
  }

  private tellProgress(block: number, head: number): void {
    const now = Date.now()
    if (block === head || now - this.lastTold < PROGRESS_INTERVAL) return
    this.lastTold = now
    this.log.info({ chainId: this.chain.chainId, block, head, left: head - block }, 'index catches up')
  }
}
