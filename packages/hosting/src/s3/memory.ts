import { removeFrom } from '@tidegate/common'
import { HOSTING_LIMITS } from '../limits.js'
import { tooMany } from '../refusals.js'

/** Reserved memory of one upload. */
export interface Share {
  /** Records progress, which restarts the time until the upload is asked to give up. */
  progressed(): void
  /** Returns the memory. Idempotent. */
  release(): void
}

interface Holder {
  bytes: number
  since: number
  isAsked: boolean
  giveUp: () => void
}

const { s3Memory, s3MemoryWait, s3MemoryHold } = HOSTING_LIMITS.hosting

/**
 * Memory for parts in flight. Uploads wait for free memory in FIFO order. Meanwhile the uploads with the longest time since
 * their last part are asked to give up, so that slow clients take turns.
 */
export class PartMemory {
  private taken = 0
  private readonly waiting: { bytes: number; resolve: () => void }[] = []
  private readonly holders = new Set<Holder>()
  private pressing: NodeJS.Timeout | undefined

  constructor(
    private readonly limit: number = s3Memory,
    private readonly patience: number = s3MemoryWait,
    private readonly hold: number = s3MemoryHold,
  ) {}

  /** Reserved bytes. */
  get bytes(): number {
    return this.taken
  }

  /** Reserves bytes. `giveUp` is called if others wait for memory. Throws HostingError if none is free in time. */
  async take(bytes: number, giveUp: () => void = () => undefined): Promise<Share> {
    if (this.waiting.length > 0 || this.taken + bytes > this.limit) await this.wait(bytes)
    else this.taken += bytes
    const holder = { bytes, since: performance.now(), isAsked: false, giveUp }
    this.holders.add(holder)
    return {
      progressed: () => {
        holder.since = performance.now()
      },
      release: () => {
        if (!this.holders.delete(holder)) return
        this.taken -= bytes
        this.admit()
      },
    }
  }

  private wait(bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = {
        bytes,
        resolve: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        removeFrom(this.waiting, waiter)
        this.admit()
        reject(tooMany())
      }, this.patience)
      this.waiting.push(waiter)
      this.press()
    })
  }

  /** While uploads wait, asks as many of the slowest holders to give up. */
  private press(): void {
    clearTimeout(this.pressing)
    if (this.waiting.length === 0) return
    const now = performance.now()
    const slow = [...this.holders].filter(({ since }) => now - since >= this.hold).sort((a, b) => a.since - b.since)
    for (const holder of slow.slice(0, this.waiting.length)) {
      if (!holder.isAsked) holder.giveUp()
      holder.isAsked = true
    }
    this.pressing = setTimeout(() => this.press(), Math.min(this.hold, 250)).unref()
  }

  private admit(): void {
    for (let next = this.waiting[0]; next && this.taken + next.bytes <= this.limit; next = this.waiting[0]) {
      this.waiting.shift()
      this.taken += next.bytes
      next.resolve()
    }
  }
}
