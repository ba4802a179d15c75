import type { UsageStore } from './usage-table.js'
import { WINDOW } from './windows.js'

/** Deletes ended counters: their ids name addresses and consumers. */
export class UsagePurge {
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly usage: Pick<UsageStore, 'purge'>) {}

  start(): void {
    // the store has logged a failure; the next minute repeats the deletion
    this.timer = setInterval(() => void this.usage.purge(Date.now()).catch(() => undefined), WINDOW).unref()
  }

  stop(): void {
    clearInterval(this.timer)
  }
}
