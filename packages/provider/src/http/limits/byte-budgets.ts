import { type CostMeter, costMeter } from '@tidegate/storage'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { UsageStore } from './usage-table.js'
import { WINDOW } from './windows.js'

/** The use of a byte budget in the current window. */
export interface BudgetUse {
  /** Bytes. */
  used: number
  /** Milliseconds until the window ends. */
  endsIn: number
  exhausted: boolean
}

/** The budget of an address in this process, with its transfers. */
interface Account {
  id: string
  /** Bytes in the database. */
  used: number
  /** Bytes that are not in the database yet. */
  unflushed: number
  /** When the window ends, in milliseconds since 1970. */
  ends: number
  transfers: number
  /** Callbacks that resume paused transfers. */
  paused: Set<() => void>
  /** Flushes the bytes to the database. */
  flushTimer: NodeJS.Timeout | undefined
  /** Checks whether paused transfers may resume. */
  resumeTimer: NodeJS.Timeout | undefined
}

/**
 * Limits the bytes of files per address and minute, over all instances. Bytes count when they are written, so the number
 * of concurrent transfers makes no difference: excess bytes wait for the next window.
 */
export class ByteBudgets {
  private readonly accounts = new Map<string, Account>()

  constructor(
    private readonly usage: UsageStore,
    private readonly limit: number,
  ) {}

  /** Returns the current use of an address before a transfer. Throws StateError. */
  async use(id: string): Promise<BudgetUse> {
    const { used, endsIn } = await this.usage.used(id, WINDOW, Date.now())
    const account = this.accounts.get(id)
    if (account && this.isSpent(account)) return { used, endsIn: account.ends - Date.now(), exhausted: true }
    return { used, endsIn, exhausted: used + (account?.unflushed ?? 0) >= this.limit }
  }

  /** Starts a transfer. The caller must end it. `known`: use at admission. */
  begin(id: string, known = { used: 0, endsIn: WINDOW }): Transfer {
    let account = this.accounts.get(id)
    if (!account) {
      const empty = {
        unflushed: 0,
        transfers: 0,
        paused: new Set<() => void>(),
        flushTimer: undefined,
        resumeTimer: undefined,
      }
      account = { id, ...empty, used: known.used, ends: Date.now() + known.endsIn }
      this.accounts.set(id, account)
    }
    account.transfers += 1
    return this.transfer(account)
  }

  private transfer(account: Account): Transfer {
    const { readAhead: ahead, overdraft, keepAlive, keepAliveInterval } = PROVIDER_LIMITS.bytes
    /** Bytes that an exhausted budget still allows. */
    let allowance: number = overdraft
    let pending: { callback: () => void; timer: NodeJS.Timeout } | undefined
    let ended = false
    const costs = costMeter((bytes) => this.spend(account, bytes), ahead)
    const resume = () => {
      if (!pending) return
      const { callback, timer } = pending
      pending = undefined
      clearInterval(timer)
      account.paused.delete(resume)
      callback()
    }
    return {
      ...costs,
      take: (bytes) => {
        const spent = this.isSpent(account)
        const taken = spent ? Math.min(allowance, bytes) : bytes
        if (spent) allowance -= taken
        costs.delivered(taken)
        return taken
      },
      wait: (callback) => {
        if (ended) return
        const timer = setInterval(() => {
          allowance += keepAlive
          resume()
        }, keepAliveInterval)
        pending = { callback, timer: timer.unref() }
        account.paused.add(resume)
        this.scheduleResume(account)
      },
      end: () => {
        if (ended) return
        ended = true
        clearInterval(pending?.timer)
        pending = undefined
        account.paused.delete(resume)
        costs.settle()
        account.transfers -= 1
        if (account.transfers === 0) void this.flush(account)
      },
    }
  }

  private isSpent({ used, unflushed, ends }: Account): boolean {
    return Date.now() < ends && used + unflushed >= this.limit
  }

  private spend(account: Account, bytes: number): void {
    account.unflushed += bytes
    // counts bytes that were in flight when the last transfer ended
    if (account.transfers === 0) void this.flush(account)
    else account.flushTimer ??= setTimeout(() => void this.flush(account), PROVIDER_LIMITS.bytes.flushInterval).unref()
  }

  /** Writes the bytes to the database. If it fails, transfers continue, and this process counts until the window ends. */
  private async flush(account: Account): Promise<void> {
    clearTimeout(account.flushTimer)
    account.flushTimer = undefined
    const { unflushed } = account
    account.unflushed = 0
    account.used += unflushed
    try {
      if (unflushed > 0) this.sync(account, await this.usage.add(account.id, unflushed, WINDOW, Date.now()))
    } catch {
      if (account.ends <= Date.now()) this.sync(account, { used: unflushed, endsIn: WINDOW })
    }
    if (account.transfers > 0 || account.unflushed > 0 || this.accounts.get(account.id) !== account) return
    clearTimeout(account.resumeTimer)
    this.accounts.delete(account.id)
  }

  private sync(account: Account, { used, endsIn }: { used: number; endsIn: number }): void {
    account.used = used
    account.ends = Date.now() + endsIn
  }

  private async refresh(account: Account): Promise<void> {
    try {
      this.sync(account, await this.usage.used(account.id, WINDOW, Date.now()))
    } catch {
      // the next check retries
    }
  }

  /** Resumes paused transfers at the end of the window. Polls, since another instance may start the next window earlier. */
  private scheduleResume(account: Account): void {
    if (account.resumeTimer || account.paused.size === 0) return
    const delay = Math.max(1, Math.min(account.ends - Date.now(), PROVIDER_LIMITS.bytes.recheckInterval))
    account.resumeTimer = setTimeout(async () => {
      await this.flush(account)
      await this.refresh(account)
      account.resumeTimer = undefined
      if (!this.isSpent(account)) for (const resume of [...account.paused]) resume()
      this.scheduleResume(account)
    }, delay).unref()
  }
}

/** A transfer that counts against the budget of its address. */
export interface Transfer extends CostMeter {
  /** Returns how many of `bytes` may be sent now, and counts them. */
  take(bytes: number): number
  /** Calls back once when the budget allows more bytes. */
  wait(resume: () => void): void
  end(): void
}
