import type { FileHandle } from 'node:fs/promises'

/** Bytes after which a file is synced again. */
const EVERY = 33_554_432

/**
 * Syncs a file while it is written, so that little is left to wait for at its end. One sync at a time: if the disk is
 * slower than the connection, the next one takes more.
 */
export class BackgroundSync {
  private isBusy = false
  private last: Promise<void> = Promise.resolve()
  /** Bytes that were written when the last one began. */
  private synced = 0
  private failed = false

  constructor(private readonly file: Pick<FileHandle, 'datasync' | 'sync'>) {}

  /**
   * Records that the file is written up to a byte, and starts a sync if it is time. Rejects with the error of the last
   * one, which the system reports once: a later sync would pass.
   */
  async written(bytes: number): Promise<void> {
    if (bytes - this.synced < EVERY || this.isBusy) return
    await this.last
    this.synced = bytes
    this.isBusy = true
    this.last = this.file.datasync().finally(() => {
      this.isBusy = false
    })
    // whoever waits for it next reports its error
    this.last.catch(() => this.fail())
  }

  /** Whether bytes that were written may not be in the file: the system does not write them again. */
  get hasFailed(): boolean {
    return this.failed
  }

  /** Resolves when all of the file is on the disk. Rejects with the error of any sync. */
  async finish(): Promise<void> {
    await this.last
    try {
      await this.file.sync()
    } catch (error) {
      this.fail()
      throw error
    }
  }

  /** Waits for what is under way, and forgets how it ended: the file begins anew, or is left. */
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
