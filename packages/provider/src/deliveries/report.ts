import type { Address } from '@tidegate/protocol'
import type { DeliveryStore, TotalsRequest } from './delivery-store.js'

/** Provider fees in one token. */
export interface ReportedFee {
  chainId: number
  token: Address
  /** In the token's smallest unit. */
  amount: bigint
  /** Decimals of the token; undefined if unknown. */
  decimals: number | undefined
}

/** One line of a report: a day, asset, consumer or publisher, or the total. */
export interface ReportLine {
  key: string
  deliveries: bigint
  complete: bigint
  bytes: bigint
  /** Delivered orders. */
  orders: bigint
  /** Fees of new orders. */
  fees: ReportedFee[]
}

/** Returns the decimals of a token; undefined if unknown. */
export type DecimalsOf = (chainId: number, token: Address) => Promise<number | undefined>

/** Yields the lines of a report one by one, so that a long report needs no memory. Throws StateError. */
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

/** Returns an exact amount in whole tokens as decimal text. */
export function inTokens({ amount, decimals }: Pick<ReportedFee, 'amount' | 'decimals'>): string | undefined {
  if (decimals === undefined) return undefined
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
