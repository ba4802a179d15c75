import type { Logger } from '@tidegate/common'
import { CATALOG_LIMITS } from '../limits.js'
import type { SearchStore } from './search-store.js'

/** Milliseconds between two steps. */
const INTERVAL = 20

const { backoff: BACKOFF, look: LOOK, round: ROUND } = CATALOG_LIMITS.search.maintained

/**
 * Maintains the search index in small steps: builds missing search rows, after a large commit or a copy or restore of the state, and merges
 * full-text segments. While the index catches up, it merges none, since most merges would be repeated, and words are added in bulk.
 */
export class SearchBuilder {
  private timer: NodeJS.Timeout | undefined
  private isBuilding = false
  private isCollecting: boolean | undefined
  private mergedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly search: SearchStore,
    private readonly log: Logger,
    private readonly isCatchingUp: () => boolean = () => false,
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
    // the database logs failures
    const delay = await this.work().catch(() => BACKOFF)
    if (this.timer !== undefined) this.schedule(delay)
  }

  private async work(): Promise<number> {
    const isCatchingUp = this.isCatchingUp()
    if (isCatchingUp !== this.isCollecting) await this.search.collectWords(isCatchingUp)
    this.isCollecting = isCatchingUp
    if (await this.build()) return INTERVAL
    if (isCatchingUp || performance.now() - this.mergedAt < ROUND) return LOOK
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
