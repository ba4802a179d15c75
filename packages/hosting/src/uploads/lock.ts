import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostingError } from '@tidegate/protocol'
import type { HostedStore } from '../hosted-store.js'
import { HOSTING_LIMITS } from '../limits.js'

/**
 * The lock of one writer on an upload, across all instances. It is a lease that expires if its process dies. A writer
 * stops if another one requests the lock: its own client may have left without closing the connection.
 */
export class UploadLock {
  readonly holder = randomUUID()
  private renewal: NodeJS.Timeout | undefined
  /** End of the lease, by performance.now(). */
  private validUntil = 0
  /** Whether the lock was acquired and not released. */
  private isHeld = false

  constructor(
    private readonly store: HostedStore,
    private readonly id: string,
  ) {}

  /** Whether no other writer can hold the lock. */
  get holds(): boolean {
    return performance.now() < this.validUntil
  }

  /** Waits for the lock. `release` is called if another writer requests it or it is lost. Throws HostingError, StateError. */
  async acquire(release: () => unknown): Promise<void> {
    const deadline = performance.now() + HOSTING_LIMITS.hosting.lockWait
    for (;;) {
      const asked = performance.now()
      if (await this.store.lock(this.id, this.holder, Date.now(), Date.now() + HOSTING_LIMITS.hosting.lease)) {
        this.validUntil = asked + HOSTING_LIMITS.hosting.lease
        this.isHeld = true
        break
      }
      if (performance.now() > deadline)
        throw new HostingError('UPLOAD_LOCKED', 'Another request is writing to this upload. Try again in a moment.')
      await sleep(HOSTING_LIMITS.hosting.lockPoll)
    }
    this.renewal = setInterval(() => this.renew(release), HOSTING_LIMITS.hosting.leaseRenewal)
  }

  /** Records that another statement has released the lock. */
  left(): void {
    clearInterval(this.renewal)
    this.validUntil = 0
    this.isHeld = false
  }

  /** Releases the lock if it is held. If that fails, the lease expires. */
  async release(): Promise<void> {
    if (!this.isHeld) return
    this.left()
    await this.store.unlock(this.id, this.holder).catch(() => undefined)
  }

  private async renew(release: () => unknown): Promise<void> {
    const asked = performance.now()
    // without the database the lease stays valid until its end
    const state = await this.store
      .renew(this.id, this.holder, Date.now() + HOSTING_LIMITS.hosting.lease)
      .catch(() => undefined)
    if (!this.isHeld) return
    if (state === 'held' || state === 'wanted') this.validUntil = asked + HOSTING_LIMITS.hosting.lease
    if (state === 'lost') this.validUntil = 0
    if (state === 'lost' || state === 'wanted' || !this.holds) release()
  }
}
