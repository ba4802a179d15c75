import { summed } from '../chain/erc20.js'
import type { Amount } from '../types.js'
import type { Paid, Sale } from './types.js'

/** The sales of one asset in one month. */
export interface SalesTotal {
  /** Year and month in UTC: "2026-11". */
  month: string
  did: string
  name: string
  orders: number
  renewals: number
  /** Payments to the publisher by token. */
  income: Amount[]
  /** All payments of the buyers by token. */
  total: Amount[]
}

/** Returns the payments to the publisher by token. */
export const incomeOf = ({ payments }: Pick<Paid, 'payments'>): Amount[] =>
  summed(payments.flatMap(({ to, amount }) => (to === 'publisher' ? [amount] : [])))

/** Returns the year and month of a time in UTC: "2026-11". */
export const monthOf = (time: Date): string => time.toISOString().slice(0, 7)

/** Sums sales by month and asset, newest month first. */
export function salesTotals(sales: Iterable<Sale>): SalesTotal[] {
  const totals = new Map<string, SalesTotal>()
  for (const sale of sales) {
    const { did, name, time, renews, total } = sale
    const month = monthOf(time)
    const key = `${month} ${did}`
    const sum = totals.get(key) ?? { month, did, name, orders: 0, renewals: 0, income: [], total: [] }
    totals.set(key, {
      ...sum,
      orders: sum.orders + (renews ? 0 : 1),
      renewals: sum.renewals + (renews ? 1 : 0),
      income: summed([...sum.income, ...incomeOf(sale)]),
      total: summed([...sum.total, ...total]),
    })
  }
  const rank = ({ month, did }: SalesTotal) => `${month} ${did}`
  return [...totals.values()].sort((a, b) => (rank(a) < rank(b) ? 1 : -1))
}
