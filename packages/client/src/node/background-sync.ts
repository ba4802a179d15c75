import type { FileHandle } from 'node:fs/promises'
import { NODE_LIMITS } from '../limits.js'

/**
 * Syncs a file while it is written, so that the last sync is short. One sync at a time: on a slow disk the next sync covers
 * more bytes.
 */
export class BackgroundSync {
  private isBusy = false
  private last: Promise<void> = Promise.resolve()
  /** Bytes written at the start of the last sync. */
  private synced = 0
  private failed = false

  constructor(private readonly file: Pick<FileHandle, 'datasync' | 'sync'>) {}

  /**
   * Records the written bytes, and starts a sync if one is due. Rejects with the error of the last sync: the system reports
   * it once, and a later sync would pass.
   */
  async written(bytes: number): Promise<void> {
    if (bytes - this.synced < NODE_LIMITS.sync || this.isBusy) return
    await this.last
    this.synced = bytes
    this.isBusy = true
    this.last = this.file.datasync().finally(() => {
      this.isBusy = false
    })
    // the next wait reports its error
    this.last.catch(() => this.fail())
  }

  /** Whether written bytes may be missing: the system does not write them again. */
  get hasFailed(): boolean {
    return this.failed
  }

  /** Resolves when the whole file is on the disk. Rejects with the error of any sync. */
  async finish(): Promise<void> {
    await this.last
    try {
      await this.file.sync()
    } catch (error) {
      this.fail()
      throw error
    }
  }

  /** Waits for a running sync and forgets its result, for a new start or the end. */
  async reset(): Promise<void> {
    await this.last.catch(() => undefined)
    this.last = Promise.resolve()
    this.synced = 0
    this.failed = false
  }

  private fail(): void {
    this.failed = true
  }
}
