import { type ColumnMetaData, type FileMetaData, parquetMetadata, type SchemaElement } from 'hyparquet'
import { plainLine } from '../../format/hostile.js'
import { CONSOLE_LIMITS } from '../../limits.js'

/** The columns of a Parquet file with the statistics of its writer. Values are not read: pages of strangers expand without a bound. */
export interface Columns {
  kind: 'columns'
  rows: number
  columns: Column[]
  /** Columns of the file. */
  all: number
}

export interface Column {
  /** Path of the column, with dots. */
  name: string
  type: string
  /** Least and most value, and the number of empty ones; empty if the writer did not record it. */
  least: string
  most: string
  empty: string
}

/** Shown columns, and characters of a value. */
const COLUMNS = 200
const CELL = 60

/** Reads the description at the end of a Parquet file; undefined if it is none, or none that can be read. */
export function parquetColumns(bytes: Uint8Array<ArrayBuffer>): Columns | undefined {
  const end = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 12) return undefined
  const length = end.getUint32(bytes.length - 8, true) + 8
  if (length > CONSOLE_LIMITS.samples.parquet || length > bytes.length) return undefined
  try {
    return columnsOf(parquetMetadata(bytes.slice(-length).buffer, { geoparquet: false }))
  } catch {
    return undefined
  }
}

function columnsOf({ num_rows, row_groups, schema }: FileMetaData): Columns {
  const types = leafTypes(schema)
  const parts = new Map<string, ColumnMetaData[]>()
  for (const { meta_data: part } of row_groups.flatMap(({ columns }) => columns)) {
    const name = part?.path_in_schema.join('.')
    if (!part || name === undefined) continue
    const same = parts.get(name)
    if (same) same.push(part)
    else if (parts.size < COLUMNS) parts.set(name, [part])
  }
  const columns = [...parts].map(([name, of]) => columnOf(name, types.get(name) ?? '', of))
  return { kind: 'columns', rows: Number(num_rows), columns, all: Math.max(types.size, columns.length) }
}

/** Returns the types of the columns by path. The schema is a tree in a list. */
function leafTypes(schema: readonly SchemaElement[]): Map<string, string> {
  const types = new Map<string, string>()
  const open: { path: string; left: number }[] = []
  for (const { name, num_children: children = 0, type, logical_type, converted_type } of schema.slice(1)) {
    while (open.at(-1)?.left === 0) open.pop()
    const parent = open.at(-1)
    if (parent) parent.left -= 1
    const path = parent ? `${parent.path}.${name}` : name
    if (children > 0) open.push({ path, left: children })
    else types.set(path, (logical_type?.type ?? converted_type ?? type ?? '').toLowerCase())
  }
  return types
}

function columnOf(name: string, type: string, parts: readonly ColumnMetaData[]): Column {
  // a group of empty values has no limits
  const full = parts.filter(({ statistics, num_values }) => statistics?.null_count !== num_values)
  const known = (end: 'min' | 'max') => full.map(({ statistics: of }) => of?.[`${end}_value`] ?? of?.[end])
  const empty = parts.map(({ statistics }) => statistics?.null_count)
  const isCounted = empty.every((count) => count !== undefined)
  return {
    name: plainLine(name, CELL),
    type: plainLine(type, CELL),
    least: worded(outermost(known('min'), -1)),
    most: worded(outermost(known('max'), 1)),
    empty: isCounted ? String(empty.reduce<bigint>((sum, count) => sum + BigInt(count ?? 0), 0n)) : '',
  }
}

/** Returns the least (-1) or the most (1) of values of one type; undefined if one is missing. */
function outermost(values: readonly unknown[], side: -1 | 1): unknown {
  const [first, ...others] = values
  let outer = first
  for (const value of others) {
    if (value === undefined || typeof value !== typeof outer) return undefined
    const isFurther = side < 0 ? (value as number) < (outer as number) : (value as number) > (outer as number)
    if (isFurther) outer = value
  }
  return outer
}

function worded(value: unknown): string {
  if (value instanceof Date) return Number.isFinite(value.getTime()) ? value.toISOString() : ''
  if (value instanceof Uint8Array || value === undefined || typeof value === 'object') return ''
  return plainLine(String(value).slice(0, 4 * CELL), CELL)
}
