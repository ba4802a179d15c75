import type { Logger } from '@tidegate/common'
import type { SearchStore } from './search-store.js'

/** Milliseconds between two steps, and after a failed one. */
const INTERVAL = 20
const BACKOFF = 5_000

/** Milliseconds between two looks for documents without search rows. */
const LOOK = 2_000

/** Milliseconds between two merges: one merge for many changes takes less than one for each. */
const ROUND = 30_000

/**
 * Keeps the search index in shape, a little at a time: builds the rows of documents that a crowded commit or an upgrade left
 * without them, and merges the segments that changes have added.
 */
export class SearchBuilder {
  private timer: NodeJS.Timeout | undefined
  private isBuilding = false
  private mergedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly search: SearchStore,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.schedule(0)
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }

  private schedule(delay: number): void {
    this.timer = setTimeout(() => void this.step(), delay)
    this.timer.unref()
  }

  private async step(): Promise<void> {
    // the database has logged the reason of a failure
    const delay = await this.work().catch(() => BACKOFF)
    if (this.timer !== undefined) this.schedule(delay)
  }

  private async work(): Promise<number> {
    if (await this.build()) return INTERVAL
    if (performance.now() - this.mergedAt < ROUND) return LOOK
    if (await this.search.mergeSome()) return INTERVAL
    this.mergedAt = performance.now()
    return LOOK
  }

  private async build(): Promise<boolean> {
    const more = await this.search.buildSome()
    if (more !== this.isBuilding) this.log.info({}, more ? 'building the search index' : 'search index built')
    this.isBuilding = more
    return more
  }
}
