import type { FileHandle } from 'node:fs/promises'
import { HOSTING_LIMITS } from '../limits.js'
import { full } from '../refusals.js'

/** Error codes of a full disk or an exhausted disk quota. */
const FULL = ['ENOSPC', 'EDQUOT']

/**
 * Writes batches to a file in order: one write for all batches that arrived during the last one. Syncs ahead of a
 * checkpoint. After a failure nothing more is written, and every wait rejects with it.
 */
export class DiskQueue {
  private waiting: Buffer[] = []
  private writing: Promise<void> | undefined
  /** The last sync. The system reports a failure only once, so it is kept. */
  private syncing: Promise<void> = Promise.resolve()
  private isSyncing = false
  /** Bytes written since that sync began. */
  private unsynced = 0

  /**
   * `position`: offset of the next byte. `onWritten` is called with each added buffer after its write, `onFailure` with
   * the error of a write.
   */
  constructor(
    private readonly handle: FileHandle,
    private position: number,
    private readonly onWritten: (bytes: Buffer) => void,
    private readonly onFailure: (error: Error) => void,
  ) {}

  add(bytes: Buffer): void {
    this.waiting.push(bytes)
    if (!this.writing) this.begin()
  }

  get isIdle(): boolean {
    return !this.writing
  }

  /** Waits for the current write. Throws HostingError or the system's error. */
  async progress(): Promise<void> {
    await this.writing?.catch(failure)
  }

  /** Makes all bytes up to a position durable. Throws like progress. */
  async sync(to: number): Promise<void> {
    while (this.position < to) await this.progress()
    // an earlier sync may not include all bytes
    await this.syncing.catch(failure)
    await this.syncNow().catch(failure)
  }

  /** Waits until no write or sync is running. */
  async settled(): Promise<void> {
    try {
      while (this.writing) await this.writing
    } catch {
      // nothing more is written after a failure
    }
    await this.syncing.catch(() => undefined)
  }

  private begin(): void {
    const writing = this.writeAll(this.waiting)
    this.waiting = []
    this.writing = writing
    writing.then(
      () => {
        this.writing = undefined
        if (this.waiting.length > 0) this.begin()
      },
      (error) => this.onFailure(asRefusal(error)),
    )
  }

  private async writeAll(batches: Buffer[]): Promise<void> {
    for (let left = batches; left.length > 0; ) {
      const { bytesWritten } = await this.handle.writev(left, this.position)
      this.position += bytesWritten
      this.unsynced += bytesWritten
      left = behind(left, bytesWritten)
    }
    for (const batch of batches) this.onWritten(batch)
    if (this.unsynced < HOSTING_LIMITS.hosting.syncAhead || this.isSyncing) return
    this.syncing = this.syncNow()
    this.syncing.catch(() => undefined)
  }

  private async syncNow(): Promise<void> {
    this.unsynced = 0
    this.isSyncing = true
    await this.handle.sync()
    this.isSyncing = false
  }
}

/** Returns the rest of some buffers after their first `bytes`. */
function behind(all: Buffer[], bytes: number): Buffer[] {
  let skipped = 0
  const at = all.findIndex(({ length }) => {
    skipped += length
    return skipped > bytes
  })
  if (at < 0) return []
  const [first, ...rest] = all.slice(at) as [Buffer, ...Buffer[]]
  return [first.subarray(first.length - (skipped - bytes)), ...rest]
}

/** Throws an error of the disk. */
export function failure(error: NodeJS.ErrnoException): never {
  throw asRefusal(error)
}

/** Returns an error of the disk; a full disk is a HostingError. */
function asRefusal(error: NodeJS.ErrnoException): Error {
  return FULL.includes(error.code ?? '') ? full() : error
}
