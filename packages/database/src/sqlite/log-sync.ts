import fs from 'node:fs'

/**
 * Makes commits durable by syncing the write-ahead log, off the event loop and without the write lock. One sync serves
 * all commits before it.
 */
export class LogSync {
  /** Whether a sync has failed: the log may have a gap, and commits after the gap would be lost with the power. */
  failed = false
  private file: number | undefined
  private running: Promise<void> = Promise.resolve()
  private next: Promise<void> | undefined

  /** `path`: the log of an open database. It exists from the first commit on. */
  constructor(private readonly path: string) {}

  /** Resolves when all commits so far are durable. Rejects with the error of the disk. */
  sync(): Promise<void> {
    // the running sync may have missed the last commit
    this.next ??= this.running.then(() => {
      this.next = undefined
      this.running = this.run()
      return this.running
    })
    return this.next
  }

  /** Records that a checkpoint has emptied the log. */
  repaired(): void {
    this.failed = false
    this.running = Promise.resolve()
    this.next = undefined
  }

  /** Waits for the syncs, and closes the file. */
  async close(): Promise<void> {
    await Promise.allSettled([this.running, this.next])
    if (this.file !== undefined) fs.closeSync(this.file)
    this.file = undefined
  }

  private run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.file ??= fs.openSync(this.path, 'r+')
      fs.fdatasync(this.file, (error) => {
        if (!error) return resolve()
        this.failed = true
        reject(error)
      })
    })
  }
}
