import { incomeOf, SALES_CSV_HEADER, type Sale, type SalesTotal, salesCsvLines, salesTotals } from '@tidegate/client'
import { printCsvHeading } from '@tidegate/common/terminal'
import { misuse } from '@tidegate/provider/commands/failures'
import { amountJson, amountText, timeText } from '../people/amounts.js'
import { address, did, forSigning, time, whole } from '../people/options.js'
import { shown } from '../people/output/text.js'
import { inSession, type PeopleOptions } from '../people/session.js'
import { paidText, saleJson } from './payments.js'

export const command = (finish: (code: number) => void) =>
  forSigning('sales', 'tidegate sales --since 2026-11-01 --until 2026-12-01 --csv --account 1 > november.csv')
    .description(
      'Lists the orders of your assets, or of one asset, with all payments, and their sums by month and asset.',
    )
    .argument('[did]', 'one asset (default: all assets of the account)', did)
    .option('--of <address>', 'the publisher (default: that of --keystore or --account)', address)
    .option('--since <time>', 'first time, as 2026-11-01 or 2026-11-01T12:00:00Z, in UTC', time)
    .option('--until <time>', 'end of the period, not included', time)
    .option('--chain <id>', 'chain of the assets (default: the only one of the provider)', whole)
    .option('--csv', 'print CSV: a line for each order and token')
    .option('--follow', 'print each new order as the provider reads it, until ctrl-C')
    .action(async (did, options) => finish(await sales(did, options)))

interface SalesOptions extends PeopleOptions {
  of?: `0x${string}`
  since?: Date
  until?: Date
  chain?: number
  csv?: true
  follow?: true
}

/** Sales between two notes of progress. */
const EVERY = 500

/** `tidegate sales`. Returns the exit code. Throws CommandError, TidegateError. */
export async function sales(did: string | undefined, options: SalesOptions): Promise<number> {
  const { of, since, until, chain: chainId, csv, follow, ...more } = options
  if (csv && more.json) throw misuse('--csv and --json: choose one of them.')
  if (follow && until) throw misuse('--follow and --until: choose one of them.')
  if (since && until && since >= until) throw misuse('--until must be later than --since.')
  return inSession(more, 'reader', async ({ client, out, signal, address: own }) => {
    const owner = of ?? own
    if (!did && !owner) throw misuse('no account is named: give a DID, --of ADDRESS, --keystore FILE or --account N.')
    let incompleteBefore: Date | undefined
    const onIncomplete = (before: Date) => {
      incompleteBefore = before
      out.note(`the node has no assets created before ${timeText(before)}: revoked ones may be missing`)
    }
    if (csv) printCsvHeading(SALES_CSV_HEADER)
    if (follow) {
      const onFailure = ({ message }: Error) => out.note(`${shown(message)} Trying again …`)
      const query = { did, owner, chainId, since, onIncomplete, onFailure, signal }
      for await (const sale of client.followSales(query)) {
        out.print(...(csv ? salesCsvLines(sale) : lines(sale)))
        out.result(saleJson(sale))
      }
      return
    }
    let next = EVERY
    const onProgress = (read: number) => {
      if (read < next) return
      next = read + EVERY
      out.note(`${read} orders read …`)
    }
    const found: Sale[] = []
    const query = { did, owner, chainId, since, until, onIncomplete, onProgress, signal }
    for await (const sale of client.sales(query)) {
      if (csv) out.print(...salesCsvLines(sale))
      else found.push(sale)
    }
    if (csv) return
    const totals = salesTotals(found)
    out.print(...(found.length > 0 ? salesLines(found, totals) : ['no orders.']))
    const about = did ? { did } : { address: owner }
    const incomplete = incompleteBefore ? { incompleteBefore } : {}
    out.result({ ...about, sales: found.map(saleJson), totals: totals.map(totalJson), ...incomplete })
  })
}

function salesLines(found: readonly Sale[], totals: readonly SalesTotal[]): string[] {
  return [...found.flatMap(lines), '', ...totals.flatMap(totalLines)]
}

function lines(sale: Sale): string[] {
  const { tx, did, name, service, consumer, time, renews } = sale
  const income = incomeOf(sale).map(amountText).join(' and ')
  const what = renews ? 'renewed' : 'ordered'
  return [
    `${timeText(time)}  ${name ? shown(name, 100) : did}${service ? `, service ${shown(service)}` : ''}`,
    `  ${what} by ${consumer}: ${paidText(sale)}${income ? `, yours ${income}` : ''}`,
    `  transaction ${tx}`,
  ]
}

function totalLines({ month, did, name, orders, renewals, income, total }: SalesTotal): string[] {
  const sums = (amounts: SalesTotal['total']) => amounts.map(amountText).join(' and ') || 'nothing'
  const renewed = renewals > 0 ? `, ${renewals} renewed` : ''
  return [
    `${month}  ${name ? shown(name, 100) : did}: ${orders} ordered${renewed}`,
    `  paid ${sums(total)}, yours ${sums(income)}`,
  ]
}

const totalJson = ({ income, total, ...about }: SalesTotal) => ({
  ...about,
  income: income.map(amountJson),
  total: total.map(amountJson),
})
