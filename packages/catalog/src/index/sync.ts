import { CHAIN_LIMITS, type Chain } from '@tidegate/chain'
import type { Logger } from '@tidegate/common'
import type { DocumentReader } from '../documents.js'
import { CATALOG_LIMITS } from '../limits.js'
import { applyRange, isPartGone, type LastCommit } from './apply.js'
import { AdaptiveRange } from './blocks/adaptive-range.js'
import type { DeployedContracts } from './blocks/emitters.js'
import type { Header } from './blocks/headers.js'
import { ReadAhead } from './blocks/read-ahead.js'
import { type BlockRange, readRange, trustedRange } from './blocks/reader.js'
import { RangeRefused } from './blocks/requests.js'
import type { ChainView } from './chain-view.js'
import type { Cursor, IndexGeneration } from './index-store.js'
import { SecondReading } from './second-reading.js'

export interface SyncOptions {
  /** Largest number of blocks to request at once. */
  blockRange: number
  /** Ranges to request concurrently during a catch-up. */
  concurrency: number
  documents: DocumentReader
  /** Depth of a reorganisation, in blocks, that a rollback can handle without a rebuild. */
  reorgDepth: number
  /** Called for each event that is skipped. */
  onSkipped?: (chainId: number) => void
  /** Called for each difference that a second reading has found. */
  onCorrected?: (chainId: number) => void
  /** Whether the database may grow. Default: always. */
  hasRoom?: () => Promise<boolean>
}

/** The disk of the database is nearly full, so the index pauses. Requests may still write. */
export class NoRoom extends Error {
  constructor() {
    super('The disk of STATE_DIR has less free space than INDEX_DISK_FLOOR.')
  }
}

export interface SyncStep {
  /** Whether nothing is left to read, or nothing can be read now. */
  idle: boolean
  /** The new cursor; undefined if nothing was read. */
  cursor?: Cursor
  /** The cursor after a rollback: the chain has replaced a partly applied block, or a second reading has other events. */
  rolledBack?: Cursor
}

/** The last commit, which may be running, and the deployments of its range. */
interface Latest extends Pick<LastCommit, 'committed'> {
  deployed?: DeployedContracts | undefined
}

const NOTHING: Latest = { committed: Promise.resolve(true) }

/** Advances one generation of a chain's index, range by range. */
export class RangeSync {
  private readonly range: AdaptiveRange
  private readonly ahead: ReadAhead
  private lastLogged = 0
  private latest = NOTHING
  private readonly second: SecondReading
  /** The block whose events no node returns yet, and the time since. */
  private late: { block: number; since: number } | undefined

  constructor(
    private readonly chain: Chain,
    private readonly generation: IndexGeneration,
    private readonly options: SyncOptions & { signal: AbortSignal },
    private readonly log: Logger,
  ) {
    this.range = new AdaptiveRange(options.blockRange)
    this.ahead = new ReadAhead(chain, options.concurrency)
    this.second = new SecondReading(chain, generation, this.range, options, log)
    options.signal.addEventListener('abort', () => this.ahead.drop())
  }

  /**
   * Reads ranges after the cursor until the head, or until the view of the chain is stale. Reads a range during the commit of the one
   * before. `id`: the generation, if it exists. No commit is running when this settles.
   * @throws ChainError, SandboxError, StateError; earlier ranges stay committed
   */
  async syncNext(cursor: Cursor | undefined, view: ChainView, id: number | undefined): Promise<SyncStep> {
    this.latest = NOTHING
    try {
      const corrected = await this.second.step(cursor, view.heads[0] ?? 0, id)
      if (corrected) return { idle: false, rolledBack: corrected }
      const step = await this.syncSome(cursor, view)
      // another instance has moved the cursor, so the step is unknown
      return (await this.latest.committed) ? step : { idle: false }
    } finally {
      await this.latest.committed.catch(() => undefined)
    }
  }

  private async syncSome(cursor: Cursor | undefined, view: ChainView): Promise<SyncStep> {
    const started = performance.now()
    let step = await this.syncOne(cursor, view)
    while (step.cursor && !step.idle && performance.now() - started < CATALOG_LIMITS.index.view) {
      if (this.options.signal.aborted) break
      const next = await this.syncOne(step.cursor, view)
      if (next.rolledBack) return next
      if (!next.cursor) return { idle: next.idle, cursor: step.cursor }
      step = next
    }
    return step
  }

  /** Reads one range after the cursor, towards the first head whose blocks a node has. */
  private async syncOne(cursor: Cursor | undefined, { heads, headers }: ChainView): Promise<SyncStep> {
    if (this.options.hasRoom && !(await this.options.hasRoom())) throw new NoRoom()
    // the genesis block has no events
    const from = cursor ? cursor.block + 1 : Math.max(1, this.chain.deployment.startBlock)
    const read = heads[0] !== undefined && (await this.syncAhead(cursor, from, heads[0]))
    if (read) return read
    if (!(await this.latest.committed)) return { idle: false }
    this.latest = NOTHING
    for (const head of heads) {
      const end = this.endOf(from, head)
      const to = Math.min(end, from + this.range.blocks - 1)
      if (from > to) break
      const isNewest = from > head - CHAIN_LIMITS.confirmation.newest
      const done = await this.syncRange(cursor, from, to, head, isNewest ? headers : undefined)
      if (done) return done
    }
    return { idle: true }
  }

  /**
   * Returns the last block of ranges that begin at a block: final blocks never share a batch with ones that may be rolled back, nor newest
   * blocks, which are read by their hashes, with others.
   */
  private endOf(from: number, head: number): number {
    const ends = [head - this.options.reorgDepth, head - CHAIN_LIMITS.confirmation.newest]
    return ends.sort((a, b) => a - b).find((end) => from <= end) ?? head
  }

  /** Applies the range after the cursor if it was read ahead. */
  private async syncAhead(cursor: Cursor | undefined, from: number, head: number): Promise<SyncStep | undefined> {
    const last = head - Math.max(this.options.reorgDepth, CHAIN_LIMITS.confirmation.newest)
    const ahead = await this.ahead.next(from, last, this.range.blocks, cursor)
    if (!ahead) return undefined
    const range = await trustedRange(this.chain, ahead.raw, this.generation, this.latest.deployed)
    return this.apply(range, cursor, ahead.requests, head)
  }

  /** Reads and applies a range. Undefined if no node has it. */
  private async syncRange(
    cursor: Cursor | undefined,
    from: number,
    to: number,
    head: number,
    headers?: ReadonlyMap<number, Header>,
  ): Promise<SyncStep | undefined> {
    const { chain, options, log } = this
    const { chainId } = chain
    const final = head - options.reorgDepth
    const { trustsBlooms } = this.second
    const mayWait = (header: Header) => this.mayWait(header)
    const newest = headers && { headers, trustsBlooms, mayWait }
    const wanted = { first: from, last: to, after: cursor, firstNonFinal: final + 1, newest }
    let range: BlockRange | 'late' | undefined
    try {
      range = await readRange(chain, wanted, this.generation)
    } catch (error) {
      this.range.failed(to - from + 1, error instanceof RangeRefused ? error.failure : 'other')
      this.ahead.failed(error)
      if (!(error instanceof RangeRefused) || from === to) throw error
      // retries at once with fewer blocks
      log.info({ chainId, from, to, reason: error.reason }, 'nodes refused a range of blocks, trying a smaller one')
      return { idle: false }
    }
    if (range === 'late') return undefined
    if (!range) {
      // perhaps only lagging nodes answered, and one that has the blocks failed
      this.range.failed(to - from + 1, 'other')
      return undefined
    }
    if (range.inParts) log.warn({ chainId, block: to, reason: range.inParts }, 'block is read in parts')
    return this.apply(range, cursor, [to - from + 1], head)
  }

  /** Applies a range. `requests`: blocks per request; only the first request has events. */
  private async apply(
    range: BlockRange,
    cursor: Cursor | undefined,
    requests: number[],
    head: number,
  ): Promise<SyncStep> {
    const { chain, options, log } = this
    const to = range.cursor.block
    const final = head - options.reorgDepth
    const events = range.logs.length + range.others
    for (const [at, blocks] of requests.entries()) this.range.succeeded(blocks, at === 0 ? events : 0)
    this.ahead.succeeded(events, range.size)
    if (cursor && isPartGone(range, cursor.part)) return this.rollBackPart(cursor)
    const provisional = to > Math.max(final, 0) || isYoung(range) || this.second.isProvisional(cursor)
    const applied = await applyRange(range, {
      chain,
      index: this.generation,
      from: cursor,
      previous: this.latest.committed,
      provisional,
      decoding: { documents: options.documents, signal: options.signal, dialect: this.generation.dialect },
      log,
      onSkipped: () => options.onSkipped?.(chain.chainId),
    })
    if (!applied) return { idle: false }
    this.second.note(range, cursor?.block ?? -1, provisional)
    this.latest = { ...applied, deployed: range.deployed }
    this.logProgress(to, head)
    return { idle: to === head, cursor: applied.cursor }
  }

  /** Rolls back the applied part of a block that the chain has replaced. */
  private async rollBackPart(cursor: Cursor): Promise<SyncStep> {
    if (!(await this.latest.committed)) return { idle: false }
    const { chainId } = this.chain
    const [checkpoint] = await this.generation.checkpoints(chainId)
    if (!checkpoint) return { idle: true }
    this.log.warn(
      { chainId, from: cursor.part?.block, to: checkpoint.block },
      'chain was reorganised, index rolled back',
    )
    await this.generation.rollback(chainId, checkpoint)
    return { idle: false, rolledBack: checkpoint }
  }

  /** Whether to wait for the events of a new block: each block has its time, so that a node cannot stop the index. */
  private mayWait({ number }: Header): boolean {
    const now = performance.now()
    if (this.late?.block !== number) this.late = { block: number, since: now }
    return now - this.late.since < CHAIN_LIMITS.confirmation.patience
  }

  private logProgress(block: number, head: number): void {
    const now = Date.now()
    if (block === head || now - this.lastLogged < CATALOG_LIMITS.index.progress) return
    this.lastLogged = now
    this.log.info({ chainId: this.chain.chainId, block, head, left: head - block }, 'index is catching up')
  }
}

/** Whether the last block of a range is so young that the lists of a node may be incomplete, however deep it is. */
function isYoung({ time, cursor }: BlockRange): boolean {
  return cursor.block > 0 && Date.now() - Number(time) * 1000 < CHAIN_LIMITS.confirmation.age
}
