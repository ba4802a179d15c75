import { BOUNDS } from '../bounds.js'
import type { UsageStore } from '../state/store.js'
import { type Spending, spending } from '../storage/spending.js'

/** Milliseconds that a budget is about. */
const WINDOW = 60_000

/** What an address has used of its budget, and in how many milliseconds that is forgiven. */
export interface Use {
  used: number
  endsIn: number
  /** Whether nothing is left. */
  spent: boolean
}

/** What one address has used of its budget, as far as this process knows, and its transfers. */
interface Account {
  id: string
  /** As the database said, and since then. */
  used: number
  uncounted: number
  /** When the window ends, in milliseconds since 1970. */
  ends: number
  transfers: number
  waiting: Set<() => void>
  /** Brings what is uncounted to the database. */
  counting: NodeJS.Timeout | undefined
  /** Looks whether those who wait may go on. */
  looking: NodeJS.Timeout | undefined
}

/**
 * How many bytes of files an address is handed in a minute, over all instances. They are counted while they are
 * written, so that it makes no difference how many transfers share them: what goes beyond waits for the next minute.
 */
export class ByteBudgets {
  private readonly accounts = new Map<string, Account>()

  constructor(
    private readonly usage: UsageStore,
    private readonly limit: number,
  ) {}

  /** What an address has used, before it begins a further transfer. Throws StateError. */
  async use(id: string): Promise<Use> {
    const { used, endsIn } = await this.usage.used(id, WINDOW, Date.now())
    const account = this.accounts.get(id)
    if (account && this.isSpent(account)) return { used, endsIn: account.ends - Date.now(), spent: true }
    return { used, endsIn, spent: used + (account?.uncounted ?? 0) >= this.limit }
  }

  /** Begins a transfer, which must be ended. `known` is what the address had used a moment ago. */
  begin(id: string, known = { used: 0, endsIn: WINDOW }): Transfer {
    let account = this.accounts.get(id)
    if (!account) {
      const none = {
        uncounted: 0,
        transfers: 0,
        waiting: new Set<() => void>(),
        counting: undefined,
        looking: undefined,
      }
      account = { id, ...none, used: known.used, ends: Date.now() + known.endsIn }
      this.accounts.set(id, account)
    }
    account.transfers += 1
    return this.transfer(account)
  }

  private transfer(account: Account): Transfer {
    const { ahead, beyond, keepAlive, keepAliveEvery } = BOUNDS.bytes
    /** Bytes that it has although nothing is left. */
    let free: number = beyond
    let waits: { goOn: () => void; timer: NodeJS.Timeout } | undefined
    let over = false
    const costs = spending((bytes) => this.spend(account, bytes), ahead)
    const goOn = () => {
      if (!waits) return
      const waited = waits
      waits = undefined
      clearInterval(waited.timer)
      account.waiting.delete(goOn)
      waited.goOn()
    }
    return {
      ...costs,
      take: (bytes) => {
        const spent = this.isSpent(account)
        const taken = spent ? Math.min(free, bytes) : bytes
        if (spent) free -= taken
        costs.given(taken)
        return taken
      },
      wait: (callback) => {
        if (over) return
        const timer = setInterval(() => {
          free += keepAlive
          goOn()
        }, keepAliveEvery)
        waits = { goOn: callback, timer: timer.unref() }
        account.waiting.add(goOn)
        this.look(account)
      },
      end: () => {
        if (over) return
        over = true
        clearInterval(waits?.timer)
        waits = undefined
        account.waiting.delete(goOn)
        costs.settle()
        account.transfers -= 1
        if (account.transfers === 0) void this.count(account)
      },
    }
  }

  private isSpent({ used, uncounted, ends }: Account): boolean {
    return Date.now() < ends && used + uncounted >= this.limit
  }

  private spend(account: Account, bytes: number): void {
    account.uncounted += bytes
    // what a storage had on its way when the last transfer ended is counted as well
    if (account.transfers === 0) void this.count(account)
    else account.counting ??= setTimeout(() => void this.count(account), BOUNDS.bytes.countEvery).unref()
  }

  /** A database that is away does not break a transfer: the bytes are counted here until the window is over. */
  private async count(account: Account): Promise<void> {
    clearTimeout(account.counting)
    account.counting = undefined
    const { uncounted } = account
    account.uncounted = 0
    account.used += uncounted
    try {
      if (uncounted > 0) this.told(account, await this.usage.add(account.id, uncounted, WINDOW, Date.now()))
    } catch {
      if (account.ends <= Date.now()) this.told(account, { used: uncounted, endsIn: WINDOW })
    }
    if (account.transfers > 0 || account.uncounted > 0 || this.accounts.get(account.id) !== account) return
    clearTimeout(account.looking)
    this.accounts.delete(account.id)
  }

  private told(account: Account, { used, endsIn }: { used: number; endsIn: number }): void {
    account.used = used
    account.ends = Date.now() + endsIn
  }

  private async refresh(account: Account): Promise<void> {
    try {
      this.told(account, await this.usage.used(account.id, WINDOW, Date.now()))
    } catch {
      // it is asked again
    }
  }

  /** Wakes those who wait when the window has ended, which another instance may see earlier. */
  private look(account: Account): void {
    if (account.looking || account.waiting.size === 0) return
    const pause = Math.max(1, Math.min(account.ends - Date.now(), BOUNDS.bytes.lookEvery))
    account.looking = setTimeout(async () => {
      await this.count(account)
      await this.refresh(account)
      account.looking = undefined
      if (!this.isSpent(account)) for (const goOn of [...account.waiting]) goOn()
      this.look(account)
    }, pause).unref()
  }
}

/** One transfer on the budget of its address. */
export interface Transfer extends Spending {
  /** How many of so many bytes may be handed out now; they are counted. */
  take(bytes: number): number
  /** Calls back once when some more may be. */
  wait(goOn: () => void): void
  end(): void
}
