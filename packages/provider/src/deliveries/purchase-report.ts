import type { PurchaseTotals } from '@tidegate/purchases'
import { formatUnits } from 'viem'
import { csvField, type Formatter, type ReportFormat } from './report-formats.js'

/** A line of the report: what a token's purchases come to, and its decimals if known. */
export interface PurchaseLine extends PurchaseTotals {
  decimals: number | undefined
}

const COUNTS = ['ordered', 'refunded', 'failed', 'waiting'] as const
const AMOUNTS = ['paid', 'spent', 'refunded', 'kept', 'held'] as const

/** Returns the formatter of purchases. Amounts are in whole tokens if the decimals are known, else in the smallest unit. */
export function purchaseFormatterOf(format: ReportFormat): Formatter<PurchaseLine> {
  if (format === 'csv') return csv
  return format === 'json' ? json : text
}

const amountOf = ({ decimals }: PurchaseLine, amount: bigint) =>
  decimals === undefined ? `${amount}` : formatUnits(amount, decimals)

const cells = (line: PurchaseLine) => [
  ...[`${line.chainId}`, line.token],
  ...COUNTS.map((name) => `${line.purchases[name]}`),
  ...AMOUNTS.map((name) => amountOf(line, line[name])),
]

const HEADER = ['chain', 'token', ...COUNTS, ...AMOUNTS.map((name) => `${name}_amount`)]

const csv: Formatter<PurchaseLine> = {
  begin: `${HEADER.join(',')}\r\n`,
  line: (line) => `${cells(line).map(csvField).join(',')}\r\n`,
  end: '',
}

/** A list of objects. Amounts are text, in the smallest unit. */
const json: Formatter<PurchaseLine> = {
  begin: '[',
  line(line, first) {
    const { chainId, token, decimals, purchases, obstructed } = line
    const amounts = Object.fromEntries(AMOUNTS.map((name) => [name, `${line[name]}`]))
    return `${first ? '' : ','}\n${JSON.stringify({ chainId, token, decimals, purchases, amounts, obstructed })}`
  },
  end: '\n]\n',
}

const text: Formatter<PurchaseLine> = {
  begin: '',
  line(line) {
    const counts = COUNTS.map((name) => `${line.purchases[name]} ${name}`).join(', ')
    const amounts = AMOUNTS.map((name) => `${name} ${amountOf(line, line[name])}`).join(', ')
    const unit = line.decimals === undefined ? ' (in the smallest unit)' : ''
    const waits = line.obstructed.map(
      ({ id, payer, obstacle, createdAt }) =>
        `  waits: ${id} of ${payer}, since ${new Date(createdAt).toISOString()}: ${obstacle}\n`,
    )
    return `chain ${line.chainId}, token ${line.token}${unit}\n  purchases: ${counts}\n  tokens: ${amounts}\n${waits.join('')}`
  },
  end: '',
}
