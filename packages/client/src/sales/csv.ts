import { formatUnits } from 'viem'
import { monthOf } from './totals.js'
import type { PaidTo, Sale } from './types.js'

const RECEIVERS: readonly PaidTo[] = ['publisher', 'market', 'consumeMarket', 'protocol', 'provider', 'seller']
const COLUMNS = ['time', 'month', 'asset', 'did', 'service', 'buyer', 'payer', 'source', 'renews', 'token', 'symbol']

/** The heading of a CSV file of sales. */
export const SALES_CSV_HEADER: string = [...COLUMNS, ...RECEIVERS, 'total', 'transaction'].join(',')

/** Returns the CSV lines of a sale: one for each token, or one without amounts. */
export function salesCsvLines(sale: Sale): string[] {
  const { time, name, did, service = '', consumer, payer, source, renews = '', payments, total, tx } = sale
  const facts = [time.toISOString(), monthOf(time), name, did, service, consumer, payer, source, renews]
  if (total.length === 0) return [lineOf([...facts, '', '', ...RECEIVERS.map(() => ''), '', tx])]
  return total.map(({ token, symbol, decimals, amount }) => {
    const paid = RECEIVERS.map((to) =>
      payments.reduce((sum, one) => (one.to === to && one.amount.token === token ? sum + one.amount.units : sum), 0n),
    )
    return lineOf([...facts, token, symbol, ...paid.map((units) => formatUnits(units, decimals)), amount, tx])
  })
}

const lineOf = (cells: readonly string[]) => cells.map(cellOf).join(',')

/**
 * Returns a quoted cell if it needs quotes. A leading apostrophe makes text of a formula, as spreadsheets expect. Some
 * split cells at semicolons and tabs, also within quotes.
 */
function cellOf(text: string): string {
  const safe = text.replace(/^(?=[\t\r])|(?<=^|;|\S[\t\r\n])(?=[\s\p{C}]*[=+\-@＝＋－＠])/gu, "'")
  return /[",\r\n;\t]|^'/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
