import type { FileHandle } from 'node:fs/promises'
import { HostingError } from '@tidegate/protocol'
import { HOSTING_LIMITS } from '../limits.js'

/** Codes of the file system for a disk, or an account on it, without room. */
const FULL = ['ENOSPC', 'EDQUOT']

/**
 * Writes to a file, one after the other, all that has come while the disk was busy. The disk begins to sync before anybody
 * waits for it. A failure stays, and is thrown to whoever waits.
 */
export class DiskQueue {
  private waiting: Buffer[] = []
  private writing: Promise<void> | undefined
  /** The sync under way, and the bytes written since it began. Its failure is told by the system only once. */
  private syncing: Promise<void> = Promise.resolve()
  private isSyncing = false
  private unsynced = 0

  /** `position`: where the next byte is written. `onWritten` is called with what was added, when the disk has it. */
  constructor(
    private readonly handle: FileHandle,
    private position: number,
    private readonly onWritten: (bytes: Buffer) => void,
  ) {}

  add(bytes: Buffer): void {
    this.waiting.push(bytes)
    if (!this.writing) this.begin()
  }

  get isIdle(): boolean {
    return !this.writing
  }

  /** Waits until some of it is written. Throws HostingError, or the error of the system. */
  async progress(): Promise<void> {
    await this.writing?.catch(failure)
  }

  /** Makes all bytes up to a position durable. Throws as progress. */
  async sync(to: number): Promise<void> {
    while (this.position < to) await this.progress()
    // a sync that began earlier may not have all of it
    await this.syncing.catch(failure)
    await this.syncNow().catch(failure)
  }

  /** Waits until the disk is left alone. */
  async settled(): Promise<void> {
    // nothing more is written after a failure
    while (this.writing)
      if (
        !(await this.writing.then(
          () => true,
          () => false,
        ))
      )
        break
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
      () => undefined,
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

/** Returns what follows the first bytes of several. */
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

/** Throws the error for the publisher if there is no room. */
export function failure(error: NodeJS.ErrnoException): never {
  if (FULL.includes(error.code ?? '')) throw new HostingError('HOSTING_FULL', 'The storage of hosted files is full.')
  throw error
}
