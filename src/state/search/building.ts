import type { Logger } from '../../process/logger.js'
import type { SearchStore } from '../store.js'

/** Milliseconds between two steps, and after a failed one. */
const INTERVAL = 20
const BACKOFF = 5_000

/** Milliseconds until the full-text index is looked at again: one merge for many changes takes less than one for each. */
const ROUND = 30_000

/**
 * Keeps the search index in shape, a little at a time: builds that of documents from before an upgrade, of which there are
 * nearly always none, and merges what changes have added to it since.
 */
export class SearchBuilder {
  private timer: NodeJS.Timeout | undefined
  private isBuilding = false

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
    return (await this.build()) || (await this.search.mergeSome()) ? INTERVAL : ROUND
  }

  private async build(): Promise<boolean> {
    const more = await this.search.buildSome()
    if (more !== this.isBuilding) this.log.info({}, more ? 'building the search index' : 'search index built')
    this.isBuilding = more
    return more
  }
}
