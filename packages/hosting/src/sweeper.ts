import type { Logger } from '@tidegate/common'
import type { FileBackend } from './file-backend.js'
import type { HostedRow, HostedStore } from './hosted-store.js'
import { HOSTING_LIMITS } from './limits.js'
import type { HostedUses } from './uses.js'

export interface SweeperTools {
  store: HostedStore
  backend: FileBackend
  uses: HostedUses
  /** Whether the index of a chain is up to date. */
  isCurrent(chainId: number): boolean
  /** Milliseconds for which an unused file is kept. */
  lifetime: number
  log: Logger
}

/**
 * Deletes expired uploads, and files without a use for their lifetime. Any number of instances may sweep concurrently. If the
 * index of a chain is stale, files that its assets may use are kept.
 */
export class Sweeper {
  private timer: NodeJS.Timeout | undefined
  private running: Promise<void> | undefined
  private stopped = false
  /** When the backend was last tidied, in milliseconds since 1970. */
  private tidied = 0

  constructor(private readonly tools: SweeperTools) {}

  start(): void {
    this.timer = setInterval(() => this.run(), HOSTING_LIMITS.hosting.sweepInterval).unref()
    this.run()
  }

  /** Stops once the current sweep has finished. */
  async stop(): Promise<void> {
    this.stopped = true
    clearInterval(this.timer)
    await this.running
  }

  private run(): void {
    this.running ??= this.sweep(Date.now())
      .catch((error: Error & { code?: string }) => {
        this.tools.log.warn({ code: error.code ?? error.name }, 'expired hosted files could not be deleted')
      })
      .finally(() => {
        this.running = undefined
      })
  }

  /** Runs one sweep. `now`: milliseconds since 1970. Throws StateError or the backend's error. */
  async sweep(now: number): Promise<void> {
    const { store, lifetime } = this.tools
    for (const id of await store.expired(now, HOSTING_LIMITS.hosting.sweepBatch)) await store.remove(id, now)
    for (const id of await store.spent(HOSTING_LIMITS.hosting.sweepBatch)) await store.remove(id, now)
    for (let after = ''; !this.stopped; ) {
      const idle = await store.idle(now - lifetime, after, HOSTING_LIMITS.hosting.sweepBatch)
      for (const file of idle) {
        const { id } = file
        const verdict = await this.isUsed(file)
        if (verdict === 'used') await store.setUsed(id, now)
        if (verdict === 'unused') await store.remove(id, now)
      }
      const last = idle.at(-1)
      if (idle.length < HOSTING_LIMITS.hosting.sweepBatch || !last) break
      after = last.id
    }
    await deleteRemoved(this.tools)
    await this.tidy(now)
  }

  /** Tidies the backend at intervals, since that lists all uploads. A failure does not fail the sweep. */
  private async tidy(now: number): Promise<void> {
    const { backend, store, lifetime, log } = this.tools
    if (now - this.tidied < HOSTING_LIMITS.hosting.tidyInterval) return
    this.tidied = now
    await backend.tidy(now - lifetime, store.find).catch(({ status, code, name }) => {
      log.warn({ status, code: code ?? name }, 'abandoned uploads of hosted files could not be listed')
    })
  }

  private async isUsed(file: HostedRow): Promise<'used' | 'unused' | 'unknown'> {
    const { assets, isAll, chains } = await this.tools.uses.verdict(file)
    if (assets.length > 0) return 'used'
    return isAll && chains.every(this.tools.isCurrent) ? 'unused' : 'unknown'
  }
}

/** Deletes the bytes of removed files, then their rows. Idempotent, so a crash in between does no harm. */
export async function deleteRemoved({
  store,
  backend,
  uses,
}: Pick<SweeperTools, 'store' | 'backend' | 'uses'>): Promise<void> {
  for (const file of await store.removed(HOSTING_LIMITS.hosting.sweepBatch)) {
    await backend.remove(file)
    await store.forget(file.id, uses.namesOf(file))
  }
}
