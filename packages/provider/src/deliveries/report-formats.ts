import type { Breakdown } from './delivery-store.js'
import { inTokens, type ReportedFee, type ReportLine } from './report.js'

export type ReportFormat = 'text' | 'csv' | 'json'

/** Formats a report line by line. */
export interface Formatter<T = ReportLine> {
  begin: string
  /** Returns the text of a line. `first`: whether it is the first one. */
  line(line: T, first: boolean): string
  end: string
}

/** Returns the formatter of a format, for a breakdown. */
export function formatterOf(format: ReportFormat, by: Breakdown | undefined): Formatter {
  if (format === 'csv') return csv(by)
  return format === 'json' ? json(by) : text(by)
}

const COUNTS = ['deliveries', 'complete', 'bytes', 'orders'] as const
const FEES = ['fee_chain', 'fee_token', 'fee_amount', 'fee_decimal'] as const

/** One row per token. Only the first row of a line has counts, so that columns can be summed. */
function csv(by: Breakdown | undefined): Formatter {
  const header = [by ?? 'period', ...COUNTS, ...FEES]
  return {
    begin: `${header.join(',')}\r\n`,
    line(line) {
      const rows: (ReportedFee | undefined)[] = line.fees.length > 0 ? line.fees : [undefined]
      const texts = rows.map((fee, at) => {
        const counts = COUNTS.map((name) => (at === 0 ? line[name].toString() : ''))
        const paid = fee
          ? [String(fee.chainId), fee.token, fee.amount.toString(), inTokens(fee) ?? '']
          : ['', '', '', '']
        return `${[keyText(line.key, by), ...counts, ...paid].map(csvField).join(',')}\r\n`
      })
      return texts.join('')
    },
    end: '',
  }
}

/**
 * Returns a CSV field (RFC 4180). An apostrophe precedes text that a spreadsheet would run as a formula. Some split fields
 * at semicolons and tabs, also within quotes.
 */
export function csvField(value: string): string {
  const harmless = value.replace(/^(?=[\t\r\n])|(?<=^|;|\S[\t\r\n])(?=[\s\p{C}]*[=+\-@＝＋－＠])/gu, "'")
  return /[",\r\n;]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** A list of objects. Counts are exact numbers, amounts are text. */
function json(by: Breakdown | undefined): Formatter {
  return {
    begin: '[',
    line(line, first) {
      const fees = line.fees.map((fee) => ({
        chainId: fee.chainId,
        token: fee.token,
        amount: fee.amount.toString(),
        ...(fee.decimals === undefined ? {} : { decimals: fee.decimals, decimal: inTokens(fee) }),
      }))
      const counts = COUNTS.map((name) => `"${name}":${line[name]}`).join(',')
      const key = by ? `${JSON.stringify(by)}:${JSON.stringify(line.key)},` : ''
      return `${first ? '' : ','}\n{${key}${counts},"fees":${JSON.stringify(fees)}}`
    },
    end: '\n]\n',
  }
}

function text(by: Breakdown | undefined): Formatter {
  const width = by === 'day' ? 10 : by === 'asset' ? 71 : by === undefined ? 6 : 42
  const columns = [width, 12, 12, 20, 12]
  const row = (cells: string[]) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(width) : cell.padStart(columns[at] as number))).join('  ')
  return {
    begin: `${row([by ?? 'period', ...COUNTS])}\n`,
    line(line) {
      const counts = `${row([keyText(line.key, by), ...COUNTS.map((name) => line[name].toString())])}\n`
      return counts + line.fees.map((fee) => `  fees on chain ${fee.chainId}: ${feeText(fee)}\n`).join('')
    },
    end: '',
  }
}

function feeText(fee: ReportedFee): string {
  const decimal = inTokens(fee)
  return decimal === undefined
    ? `${fee.amount} of the smallest unit of ${fee.token}`
    : `${decimal} of ${fee.token} (${fee.amount} of its smallest unit)`
}

function keyText(key: string, by: Breakdown | undefined): string {
  if (by === undefined) return 'all'
  return key === '' ? 'unknown' : key
}
