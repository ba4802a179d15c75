import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { StartError } from '@tidegate/protocol'
import { loadSettings } from '../config/load.js'
import type { Settings } from '../config/schema.js'
import type { Breakdown } from '../deliveries/delivery-store.js'
import { hostedFormatterOf } from '../deliveries/hosted-report.js'
import { type PurchaseLine, purchaseFormatterOf } from '../deliveries/purchase-report.js'
import { reportLines } from '../deliveries/report.js'
import { type Formatter, formatterOf, type ReportFormat } from '../deliveries/report-formats.js'
import { openStore } from '../state/open.js'
import type { StateStore } from '../state/stores.js'
import { CONFIG } from './options.js'
import { streamedOutput } from './streamed-output.js'
import { tokenDecimals } from './token-decimals.js'

const BREAKDOWNS = ['day', 'asset', 'consumer', 'publisher'] as const satisfies Breakdown[]

export const command = (finish: (code: number) => void) =>
  new Command('report')
    .description(
      'Reports deliveries, bytes, orders and provider fees by token. Reads the database alone, and may run beside the service.',
    )
    .option('--since <time>', 'from this time on: a day (2026-01-31, UTC) or an ISO 8601 time', time)
    .option('--until <time>', 'before this time, in the same form', time)
    .addOption(new Option('--by <what>', 'a line for each').choices(BREAKDOWNS).conflicts('hosted'))
    .option('--hosted', 'hosted files instead: what each publisher has now, and what was delivered of it')
    .addOption(
      new Option('--purchases', 'purchases instead: what was paid, ordered, refunded and kept').conflicts([
        'by',
        'hosted',
      ]),
    )
    .addOption(new Option('--csv', 'comma-separated values (RFC 4180)').conflicts('json'))
    .option('--json', 'a list of JSON objects')
    .option(...CONFIG)
    .action(async ({ csv, json, ...options }) => finish(await report(options, json ? 'json' : csv ? 'csv' : 'text')))

interface ReportOptions {
  since?: number | undefined
  until?: number | undefined
  by?: Breakdown | undefined
  hosted?: true | undefined
  purchases?: true | undefined
  config?: string | undefined
}

/** `tidegate report`: prints deliveries and fees. Returns the exit code. Throws StartError, StateError. */
export async function report(options: ReportOptions, format: ReportFormat): Promise<number> {
  // no upper limit: block timestamps may be ahead of this clock
  const { since = 0, until = Number.MAX_SAFE_INTEGER, by, config } = options
  if (since >= until) throw new StartError(['--since: must be before --until.'])
  const settings = loadSettings(process.env, config, 'database')
  const store = await openStore(settings, { readOnly: true })
  try {
    if (options.hosted) await printAll(store.deliveries.hosted({ since, until }), hostedFormatterOf(format))
    else if (options.purchases)
      await printAll(purchaseLines(store, { since, until }, settings), purchaseFormatterOf(format))
    else {
      const request = { since, until, ...(by ? { by } : {}) }
      await printAll(reportLines(store.deliveries, request, tokenDecimals(settings)), formatterOf(format, by))
    }
  } finally {
    await store.close()
  }
  return 0
}

async function* purchaseLines(
  { driver }: StateStore,
  { since, until }: { since: number; until: number },
  settings: Settings,
): AsyncGenerator<PurchaseLine> {
  const { purchaseStore, purchaseTotals } = await import('@tidegate/purchases')
  const decimals = tokenDecimals(settings)
  for (const totals of await purchaseTotals(purchaseStore(driver).between(since, until)))
    yield { ...totals, decimals: await decimals(totals.chainId, totals.token) }
}

/** Prints all lines, until the reader of standard output leaves. */
async function printAll<T>(lines: AsyncIterable<T>, formatter: Formatter<T>): Promise<void> {
  const print = streamedOutput()
  await print(formatter.begin)
  let first = true
  for await (const line of lines) {
    if (!(await print(formatter.line(line, first)))) return
    first = false
  }
  await print(formatter.end)
}

/** Parses a time option to milliseconds since 1970. Throws InvalidArgumentError. */
function time(text: string): number {
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  const parsed = isTime ? Date.parse(text) : Number.NaN
  // Date.parse accepts February 31
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  if (Number.isNaN(parsed) || parsed < 0 || day.toISOString().slice(0, 10) !== text.slice(0, 10))
    throw new InvalidArgumentError('It must be a day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z.')
  return parsed
}
