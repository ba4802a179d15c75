import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '../torture/lib/ledger.js'

/** Milliseconds between looks of a worker that waits. */
const LOOK = 15

/** Keeps all workers together at a rate of responses. What a fault has held up is not made up for afterwards. */
export class Pace {
  private credit = 0
  private last = 0
  private counted = 0

  constructor(
    /** Responses per second. */
    private readonly rate: number,
    private readonly ledger: Ledger,
  ) {}

  begin(): void {
    this.credit = 0
    this.last = performance.now()
    this.counted = this.ledger.responses
  }

  /** Resolves when another request may be sent. */
  async next(): Promise<void> {
    do {
      await sleep(LOOK)
      const now = performance.now()
      const earned = ((now - this.last) / 1000) * this.rate
      this.credit = Math.min(this.rate, this.credit + earned - (this.ledger.responses - this.counted))
      this.last = now
      this.counted = this.ledger.responses
    } while (this.credit <= 0)
  }
}
