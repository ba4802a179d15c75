import type { Paid, PaidTo, Payment, Sale } from '@tidegate/client'
import { amountJson, amountText } from '../people/amounts.js'

/** Receivers of payments, for people. */
export const RECEIVERS: Record<PaidTo, string> = {
  publisher: 'Publisher',
  market: 'Market',
  consumeMarket: 'Buying market',
  protocol: 'Protocol',
  provider: 'Provider',
  seller: 'Seller',
}

const SOURCES: Record<Paid['source'], string> = {
  exchange: 'free',
  dispenser: 'free',
  other: 'bought elsewhere',
  held: 'datatoken held already, bought in an earlier transaction',
  renewal: 'renewal',
}

/** Returns the payments of an order in a few words: "5.01 OCEAN", or why there are none. */
export function paidText({ source, total }: Paid): string {
  const sum = total.map(amountText).join(' and ')
  if (sum === '') return SOURCES[source]
  return source === 'held' || source === 'renewal' ? `${sum} (${SOURCES[source]})` : sum
}

/** Returns a line for each payment and for the sum of each token. */
export function paymentLines({ source, payments, total }: Paid): string[] {
  const line = (name: string, amount: string, more = '') => `  ${name.padEnd(14)} ${amount}${more}`
  const part = ({ to, amount, receiver }: Payment) =>
    line(RECEIVERS[to], amountText(amount), receiver ? `   to ${receiver}` : '')
  return [
    ...(total.length === 0 || source === 'held' || source === 'renewal' ? [line('Price', SOURCES[source])] : []),
    ...payments.map(part),
    ...total.map((amount) => line('Total', amountText(amount), `   token ${amount.token}`)),
  ]
}

/** Returns payments for programs. */
export const paidJson = ({ source, payments, total }: Paid) => ({
  source,
  payments: payments.map(({ amount, ...payment }) => ({ ...payment, amount: amountJson(amount) })),
  total: total.map(amountJson),
})

export const saleJson = <T extends Sale>(sale: T) => ({ ...sale, ...paidJson(sale) })
