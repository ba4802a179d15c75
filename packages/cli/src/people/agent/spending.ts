import { type Amount, type Context, type Quote, tokenNamed } from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { formatUnits } from 'viem'
import { unitsOf } from '../amounts.js'
import type { Cap } from '../options.js'

/** A limit in one token: an address, or a symbol of the network's list. */
export type Limit = Required<Cap>

/** A reserved part of the limits. */
export interface Reservation {
  /** Returns the amounts to the limits. For a purchase that has sent nothing. */
  release(): void
}

/** The limits of a session, and what it has spent or reserved. Without a limit for a token, nothing is paid in it. */
export class Spending {
  /** Units by chain and token. */
  private readonly used = new Map<string, bigint>()
  private readonly decimals = new Map<string, number>()

  constructor(
    private readonly total: readonly Limit[],
    private readonly each: readonly Limit[],
  ) {}

  /**
   * Reserves the price of a quote: its total with all fees, by the addresses of the tokens. Purchases at the same time
   * cannot exceed the limits together. Throws CommandError `SPENDING_LIMIT`, TidegateError `UNKNOWN_TOKEN`.
   */
  async reserve(context: Context, { chainId, price }: Quote): Promise<Reservation> {
    const due = price.total.filter(({ units }) => units > 0n)
    if (due.length === 0) return { release: () => undefined }
    const limitsOf = (limits: readonly Limit[]) =>
      Promise.all(limits.map(async (one) => ({ ...one, token: await tokenNamed(context, chainId, one.token) })))
    const [total, each] = await Promise.all([limitsOf(this.total), limitsOf(this.each)])
    // no await from here on: other purchases would exceed the limits meanwhile
    for (const amount of due) this.assertWithin(chainId, amount, total, each)
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
        if (isHeld) add(-1n)
        isHeld = false
      },
    }
  }

  private assertWithin(chainId: number, amount: Amount, total: readonly Limit[], each: readonly Limit[]): void {
    const { token, units, decimals } = amount
    const refused = (why: string) =>
      new CommandError('SPENDING_LIMIT', `Not bought: ${amount.amount} of the token ${token} ${why}.`)
    const own = (limits: readonly Limit[]) =>
      limits.filter((limit) => keyOf(chainId, limit.token) === keyOf(chainId, token))
    if (own(total).length === 0) throw refused('are due, for which the user has set no --max-spend')
    const used = this.used.get(keyOf(chainId, token)) ?? 0n
    for (const limit of own(total))
      if (used + units > unitsOf(limit.amount, decimals))
        throw refused(`are more than is left of --max-spend ${limit.amount} in this session`)
    for (const limit of own(each))
      if (units > unitsOf(limit.amount, decimals)) throw refused(`are more than --max-each ${limit.amount}`)
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
