import { type Amount, type Context, type Quote, tokenNamed } from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { formatUnits } from 'viem'
import { unitsOf } from '../amounts.js'
import type { Cap } from '../options.js'
import type { DaySpending } from './day-spending.js'

/** A limit in one token: an address, or a symbol of the network's list. */
export type Limit = Required<Cap>

/** A reserved part of the limits. */
export interface Reservation {
  /** Returns the amounts to the limits. For a purchase that has sent nothing. */
  release(): void
}

/** The limits of a day, over all sessions. */
export interface DayLimits {
  limits: readonly Limit[]
  spending: DaySpending
}

/**
 * The limits of a session, and what it has spent or reserved. Without a limit of session or day for a token, nothing is paid in it.
 */
export class Spending {
  /** Units by chain and token. */
  private readonly used = new Map<string, bigint>()
  private readonly decimals = new Map<string, number>()

  constructor(
    private readonly total: readonly Limit[],
    private readonly each: readonly Limit[],
    private readonly day?: DayLimits,
  ) {}

  /**
   * Reserves the price of a quote: its total with all fees, by the addresses of the tokens. Purchases at the same time
   * cannot exceed the limits together. Throws CommandError `SPENDING_LIMIT` and `SPENDING_UNKNOWN`, TidegateError `UNKNOWN_TOKEN`.
   */
  async reserve(context: Context, { chainId, price }: Quote): Promise<Reservation> {
    const due = price.total.filter(({ units }) => units > 0n)
    if (due.length === 0) return { release: () => undefined }
    const limitsOf = (limits: readonly Limit[]) =>
      Promise.all(limits.map(async (one) => ({ ...one, token: await tokenNamed(context, chainId, one.token) })))
    const [total, each, day] = await Promise.all([this.total, this.each, this.day?.limits ?? []].map(limitsOf))
    const limits = { total: total as Limit[], each: each as Limit[], day: day as Limit[] }
    // no await from here on: other purchases would exceed the limits meanwhile
    for (const amount of due) this.assertWithin(chainId, amount, limits)
    const releaseDay = this.day?.spending.reserve(
      due.map(({ token, units }) => ({ chainId, token, units })),
      ({ token, units }, used) => {
        const { decimals, amount } = due.find((one) => one.token === token) as Amount
        for (const limit of ownOf(limits.day, chainId, token))
          if (used + units > unitsOf(limit.amount, decimals))
            throw refused({ amount, token }, `are more than is left of --max-day ${limit.amount} today (UTC)`)
      },
    )
    const add = (sign: bigint) => {
      for (const { token, units, decimals } of due) {
        const key = keyOf(chainId, token)
        this.used.set(key, (this.used.get(key) ?? 0n) + sign * units)
        this.decimals.set(key, decimals)
      }
    }
    add(1n)
    let isHeld = true
    return {
      release() {
        if (!isHeld) return
        isHeld = false
        add(-1n)
        releaseDay?.()
      },
    }
  }

  private assertWithin(
    chainId: number,
    amount: Amount,
    { total, each, day }: Record<'total' | 'each' | 'day', Limit[]>,
  ): void {
    const { token, units, decimals } = amount
    const own = (limits: readonly Limit[]) => ownOf(limits, chainId, token)
    if (own([...total, ...day]).length === 0)
      throw refused(amount, 'are due, for which the user has set neither --max-spend nor --max-day')
    const used = this.used.get(keyOf(chainId, token)) ?? 0n
    for (const limit of own(total))
      if (used + units > unitsOf(limit.amount, decimals))
        throw refused(amount, `are more than is left of --max-spend ${limit.amount} in this session`)
    for (const limit of own(each))
      if (units > unitsOf(limit.amount, decimals)) throw refused(amount, `are more than --max-each ${limit.amount}`)
  }

  /** Returns the sums that the session has spent or reserved. */
  spent(): { token: `0x${string}`; amount: string }[] {
    return [...this.used].map(([key, units]) => ({
      token: key.split(' ')[1] as `0x${string}`,
      amount: formatUnits(units, this.decimals.get(key) ?? 0),
    }))
  }
}

const keyOf = (chainId: number, token: string) => `${chainId} ${token.toLowerCase()}`

const ownOf = (limits: readonly Limit[], chainId: number, token: string) =>
  limits.filter((limit) => keyOf(chainId, limit.token) === keyOf(chainId, token))

const refused = ({ amount, token }: Pick<Amount, 'amount' | 'token'>, why: string) =>
  new CommandError('SPENDING_LIMIT', `Not bought: ${amount} of the token ${token} ${why}.`)
