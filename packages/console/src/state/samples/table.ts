import { plainLine } from '../../format/hostile.js'

/** The beginning of a table. */
export interface Table {
  kind: 'table'
  head: string[]
  rows: string[][]
  /** Columns of the file. */
  columns: number
  /** Whether the file has more rows. */
  hasMore: boolean
}

/** Shown rows, columns, and characters of a cell. */
const ROWS = 20
const COLUMNS = 30
const CELL = 80

/** Reads comma-separated values, or those with another separator. `isCut`: whether the last line is not complete. */
export async function separatedTable(text: string, isCut: boolean): Promise<Table | undefined> {
  const { default: papa } = await import('papaparse')
  // one row more than is shown reveals that there are more; a cut one is left out
  const { data } = papa.parse(text, { preview: ROWS + 3, skipEmptyLines: true })
  const lines = isCut && data.length > 1 && data.length < ROWS + 3 ? data.slice(0, -1) : data
  const [head, ...rows] = lines
  return head && tableOf(head, rows, isCut)
}

/** Reads JSON lines. A line that is no object is one cell. */
export function jsonTable(text: string, isCut: boolean): Table | undefined {
  const lines = text.split('\n', ROWS + 3).filter((line) => line.trim() !== '')
  const read = isCut && lines.length > 1 && lines.length < ROWS + 3 ? lines.slice(0, -1) : lines
  if (read.length === 0) return undefined
  const objects = read.map(fieldsOf)
  const keys = [...new Set(objects.flatMap((fields) => [...fields.keys()]))]
  const rows = objects.map((fields) => keys.slice(0, COLUMNS).map((key) => worded(fields.get(key))))
  return tableOf(keys, rows, isCut)
}

function tableOf(head: string[], rows: string[][], isCut: boolean): Table {
  const columns = Math.max(head.length, ...rows.slice(0, ROWS).map(({ length }) => length))
  const width = Math.min(columns, COLUMNS)
  // the text of a cell may be long
  const cells = (row: string[]) =>
    Array.from({ length: width }, (_, at) => plainLine((row[at] ?? '').slice(0, 4 * CELL), CELL))
  return {
    kind: 'table',
    head: cells(head),
    rows: rows.slice(0, ROWS).map(cells),
    columns,
    hasMore: isCut || rows.length > ROWS,
  }
}

function fieldsOf(line: string): Map<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return new Map(Object.entries(value))
  } catch {
    // not JSON, or nested too deeply
  }
  return new Map([['', line]])
}

function worded(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value)
  } catch {
    return '…'
  }
}
