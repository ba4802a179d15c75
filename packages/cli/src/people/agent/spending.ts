import { type Amount, type Authorization, type Context, type Price, paymentUse, tokenNamed } from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { formatUnits } from 'viem'
import { unitsOf } from '../amounts.js'
import type { Cap } from '../options.js'
import type { DaySpending } from './day-spending.js'
import type { NewPayment } from './reservations.js'

/** A limit in one token: an address, or a symbol of the network's list. */
export type Limit = Required<Cap>

/** A reserved part of the limits. */
export interface Reservation {
  /** Returns the amounts to the limits. For a purchase that has sent nothing, and for a payment that can never be used. */
  release(): void
  /** Records the signed payment of the purchase. It must not be sent before. Throws CommandError `SPENDING_UNKNOWN`. */
  signed(authorization: Authorization): void
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
   * cannot exceed the limits together. A payment that is to be signed needs a limit of the day: it can be used after the session. Throws
   * CommandError `SPENDING_LIMIT`, `SPENDING_UNKNOWN` and `PURCHASE_RUNNING`, TidegateError `UNKNOWN_TOKEN`.
   */
  async reserve(
    context: Context,
    { chainId, price }: { chainId: number; price: Pick<Price, 'total'> },
    payment?: NewPayment,
  ): Promise<Reservation> {
    const due = price.total.filter(({ units }) => units > 0n)
    if (due.length === 0) return { release: () => undefined, signed: () => undefined }
    const [total = [], each = [], day = []] = await Promise.all(
      [this.total, this.each, this.day?.limits ?? []].map((limits) => byAddress(context, chainId, limits)),
    )
    const limits = { total, each, day }
    if (payment) await this.day?.spending.update(payment.purchase, (one) => paymentUse(context, one))
    // no await from here on: other purchases would exceed the limits meanwhile
    for (const amount of due) {
      if (payment && ownOf(limits.day, chainId, amount.token).length === 0)
        throw refused(amount, 'would be signed for, and the user has not set --max-day')
      this.assertWithin(chainId, amount, limits)
    }
    const ofDay = this.day?.spending.reserve(
      due.map(({ token, units }) => ({ chainId, token, units })),
      ({ token, units }, used) => {
        const { decimals, amount } = due.find((one) => one.token === token) as Amount
        for (const limit of ownOf(limits.day, chainId, token))
          if (used + units > unitsOf(limit.amount, decimals))
            throw refused(
              { amount, token },
              `are more than the ${leftText(limit, used, decimals)} that is left of --max-day ${limit.amount} today (UTC)`,
            )
      },
      payment,
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
        ofDay?.release()
      },
      signed: (authorization) => ofDay?.signed(authorization),
    }
  }

  /** Throws CommandError `PURCHASE_RUNNING` if an agent has signed a payment for the same, which can be used. */
  async assertUnpaid(context: Context, payment: NewPayment): Promise<void> {
    await this.day?.spending.update(payment.purchase, (one) => paymentUse(context, one))
    this.day?.spending.assertOnly(payment)
  }

  /**
   * Returns what is left of the limit of the day for a token, as a decimal text; undefined without a limit. Throws CommandError
   * `SPENDING_UNKNOWN`, TidegateError `UNKNOWN_TOKEN`.
   */
  async leftToday(
    context: Context,
    chainId: number,
    { token, decimals }: Pick<Amount, 'token' | 'decimals'>,
  ): Promise<string | undefined> {
    const { limits = [], spending } = this.day ?? {}
    const named = await byAddress(context, chainId, limits)
    const used = spending?.usedOf(chainId, token) ?? 0n
    const [least] = ownOf(named, chainId, token).sort((one, other) =>
      unitsOf(one.amount, decimals) < unitsOf(other.amount, decimals) ? -1 : 1,
    )
    return least && leftText(least, used, decimals)
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

/** Returns limits with the addresses of their tokens. */
const byAddress = (context: Context, chainId: number, limits: readonly Limit[]): Promise<Limit[]> =>
  Promise.all(limits.map(async (one) => ({ ...one, token: await tokenNamed(context, chainId, one.token) })))

const keyOf = (chainId: number, token: string) => `${chainId} ${token.toLowerCase()}`

/** Returns the rest of a limit. A limit of an earlier session may have been higher. */
function leftText({ amount }: Limit, used: bigint, decimals: number): string {
  const left = unitsOf(amount, decimals) - used
  return formatUnits(left > 0n ? left : 0n, decimals)
}

const ownOf = (limits: readonly Limit[], chainId: number, token: string) =>
  limits.filter((limit) => keyOf(chainId, limit.token) === keyOf(chainId, token))

const refused = ({ amount, token }: Pick<Amount, 'amount' | 'token'>, why: string) =>
  new CommandError('SPENDING_LIMIT', `Not bought: ${amount} of the token ${token} ${why}.`)
