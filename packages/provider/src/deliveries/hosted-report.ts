import type { HostedPublisher } from './delivery-store.js'
import { csvField, type Formatter, type ReportFormat } from './report-formats.js'

const COUNTS = ['files', 'unfinished', 'stored', 'reserved', 'deliveries', 'delivered'] as const

/** Returns the formatter of hosted files. */
export function hostedFormatterOf(format: ReportFormat): Formatter<HostedPublisher> {
  if (format === 'csv') return csv
  return format === 'json' ? json : text
}

const cells = (line: HostedPublisher) => [line.publisher, ...COUNTS.map((name) => line[name].toString())]

const csv: Formatter<HostedPublisher> = {
  begin: `publisher,${COUNTS.join(',')}\r\n`,
  line: (line) => `${cells(line).map(csvField).join(',')}\r\n`,
  end: '',
}

/** A list of objects. Counts are exact numbers. */
const json: Formatter<HostedPublisher> = {
  begin: '[',
  line(line, first) {
    const counts = COUNTS.map((name) => `"${name}":${line[name]}`).join(',')
    return `${first ? '' : ','}\n{"publisher":${JSON.stringify(line.publisher)},${counts}}`
  },
  end: '\n]\n',
}

/** Widths of the columns. The first fits an address with a chain id. */
const WIDTHS = [52, 7, 10, 20, 20, 10, 20]

const row = (values: readonly string[]) =>
  `${values.map((value, at) => (at === 0 ? value.padEnd(WIDTHS[0] as number) : value.padStart(WIDTHS[at] as number))).join('  ')}\n`

const text: Formatter<HostedPublisher> = {
  begin: row(['publisher', ...COUNTS]),
  line: (line) => row(cells(line)),
  end: '',
}
