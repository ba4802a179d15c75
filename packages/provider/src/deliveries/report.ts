import type { Address } from '@tidegate/protocol'
import type { DeliveryStore, TotalsRequest } from './delivery-store.js'

/** Provider fees in one token. */
export interface ReportedFee {
  chainId: number
  token: Address
  /** In the token's smallest unit. */
  amount: bigint
  /** Decimals of the token, where they are known. */
  decimals: number | undefined
}

/** One line of a report: a day, asset, consumer or publisher, or everything. */
export interface ReportLine {
  key: string
  deliveries: bigint
  complete: bigint
  bytes: bigint
  /** Orders that were delivered. */
  orders: bigint
  /** Fees of the orders that were made. */
  fees: ReportedFee[]
}

/** Returns the decimals of a token, or undefined if they are not known. */
export type DecimalsOf = (chainId: number, token: Address) => Promise<number | undefined>

/** Yields the lines of a report, one at a time, so that a report of any length needs no memory. Throws StateError. */
export async function* reportLines(
  store: Pick<DeliveryStore, 'totals'>,
  request: TotalsRequest,
  decimalsOf: DecimalsOf,
): AsyncGenerator<ReportLine> {
  let line: ReportLine | undefined
  for await (const total of store.totals(request)) {
    if (line && line.key !== total.key) {
      yield line
      line = undefined
    }
    line ??= { key: total.key, deliveries: 0n, complete: 0n, bytes: 0n, orders: 0n, fees: [] }
    if ('token' in total) {
      const { chainId, token, amount } = total
      line.fees.push({ chainId, token, amount, decimals: await decimalsOf(chainId, token) })
    } else Object.assign(line, total)
  }
  if (line) yield line
}

/** Returns an amount as decimal text in whole tokens, exactly. */
export function inTokens({ amount, decimals }: Pick<ReportedFee, 'amount' | 'decimals'>): string | undefined {
  if (decimals === undefined) return undefined
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
