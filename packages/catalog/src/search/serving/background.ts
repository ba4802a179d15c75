/** Runs one computation at a time in the background, with pauses, so that nobody makes a processor busy at little expense. */
export class Background {
  private isRunning = false
  /** When the last computation ended, by performance.now(), and the milliseconds that it took. */
  private last = { ended: 0, took: 0 }

  /** Starts a computation, unless one is running, or ended less than `rest` times as long ago as it took. Ignores its failure. */
  start(rest: number, work: () => Promise<unknown>): void {
    const begun = performance.now()
    if (this.isRunning || begun - this.last.ended < rest * this.last.took) return
    this.isRunning = true
    work()
      // the next one who asks begins again
      .catch(() => undefined)
      .finally(() => {
        const ended = performance.now()
        this.last = { ended, took: ended - begun }
        this.isRunning = false
      })
  }
}
