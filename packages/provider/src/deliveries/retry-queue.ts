import type { Logger } from '@tidegate/common'
import { PROVIDER_LIMITS } from '../limits.js'

/** Items per batch. */
const BATCH = 10

/** Milliseconds between polls for due items. */
const POLL_INTERVAL = 1000

export interface RetryQueueOptions<T> {
  /** Claims due items until a time, in milliseconds since 1970. */
  claim(now: number, until: number, limit: number): Promise<T[]>
  /** Sends an item, and removes or reschedules it. Returns false if the receiver refused it. Rejects with StateError alone. */
  attempt(item: T): Promise<boolean>
  /** Whether the items of a batch are sent at once. */
  isParallel: boolean
  /** The items in the log. */
  name: string
  log: Logger
}

/** Returns the milliseconds before the next attempt. */
export function backoffAfter(attempts: number): number {
  const { first, longest } = PROVIDER_LIMITS.queues.backoff
  return Math.min(longest, first * 2 ** Math.min(attempts - 1, 12))
}

/** Sends the items of a durable queue, each at least once. */
export class RetryQueue<T> {
  private timer: NodeJS.Timeout | undefined
  private working: Promise<void> | undefined
  private stopped = false

  constructor(private readonly options: RetryQueueOptions<T>) {}

  start(): void {
    this.timer = setInterval(() => this.kick(), POLL_INTERVAL).unref()
    this.kick()
  }

  /** Stops the queue after the current batch. */
  async stop(): Promise<void> {
    this.stopped = true
    clearInterval(this.timer)
    await this.working
  }

  /** Sends the due items now. */
  kick(): void {
    if (this.stopped || this.working) return
    const { log, name } = this.options
    this.working = this.work()
      .catch((error: Error) => log.warn({ reason: error.message }, `${name} cannot be sent`))
      .finally(() => {
        this.working = undefined
      })
  }

  private async work(): Promise<void> {
    while (!this.stopped) {
      const due = await this.options.claim(Date.now(), Date.now() + PROVIDER_LIMITS.queues.lease, BATCH)
      // a receiver that refuses a whole batch gets no other one at once
      if (due.length === 0 || !(await this.attemptAll(due))) return
    }
  }

  /** Returns whether the receiver took any item. */
  private async attemptAll(due: T[]): Promise<boolean> {
    const { attempt, isParallel } = this.options
    if (isParallel) return (await Promise.all(due.map(attempt))).includes(true)
    let isAnyTaken = false
    for (const item of due) isAnyTaken = (await attempt(item)) || isAnyTaken
    return isAnyTaken
  }
}
