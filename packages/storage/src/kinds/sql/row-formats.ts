import { STORAGE_LIMITS } from '../../limits.js'
import { type Cell, JsonText } from './values.js'

/** A text format for the rows of a query. */
export interface RowFormat {
  mediaType: string
  heading(columns: readonly string[]): string
  row(columns: readonly string[], cells: readonly Cell[]): string
}

const LARGE = STORAGE_LIMITS.sql.cell
const QUOTE = 34

const CSV: RowFormat = {
  mediaType: 'text/csv; charset=utf-8',
  heading: (columns) => csvLine(columns),
  row: (_columns, cells) => csvLine(cells),
}

/** One line of JSON per row. Of columns with the same name, the last one counts. */
const NDJSON: RowFormat = {
  mediaType: 'application/x-ndjson',
  heading: () => '',
  row(columns, cells) {
    const last = new Map(columns.map((name, at) => [name, cells[at] as Cell]))
    return `{${[...last].map(([name, cell]) => `${JSON.stringify(name)}:${json(cell)}`).join(',')}}\n`
  },
}

export const ROW_FORMATS = { csv: CSV, ndjson: NDJSON } as const

function json(cell: Cell): string {
  return cell instanceof JsonText ? cell.text : JSON.stringify(cell)
}

function csvLine(cells: readonly Cell[]): string {
  return `${cells.map((cell) => csvField(plain(cell))).join(',')}\n`
}

function plain(cell: Cell): string {
  if (cell === null) return ''
  if (cell instanceof JsonText) return cell.text
  return cell instanceof Date ? cell.toISOString() : String(cell)
}

function csvField(text: string): string {
  if (!/[",\r\n]/.test(text)) return text
  return `"${text.length > LARGE ? doubledQuotes(text) : text.replace(/"/g, '""')}"`
}

/** Doubles quotes byte by byte, much faster than a regular expression for megabytes of quotes. */
function doubledQuotes(text: string): string {
  const bytes = Buffer.from(text)
  const doubled = Buffer.allocUnsafe(2 * bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    doubled[length++] = byte
    if (byte === QUOTE) doubled[length++] = QUOTE
  }
  return doubled.toString('utf8', 0, length)
}
