import type { Dialect, Query, Result, Value } from '@tidegate/database'
import { StartError, UnstorableError } from '@tidegate/protocol'
import { PROVIDER_LIMITS } from '../../limits.js'
import { BatchSize } from './batch-size.js'
import { growingColumn, type TableShape } from './schema.js'
import { type Run, type Snapshot, text } from './snapshot.js'

/** The destination of rows. Each batch is a transaction. */
export interface Sink {
  readonly dialect: Dialect
  session<T>(work: (run: Run) => Promise<T>): Promise<T>
}

/** The result of a pass for a table. */
export interface Copied {
  table: string
  /** Rows in the source. */
  rows: number
  /** New or changed rows. */
  written: number
  /** Rows that are missing in the source. */
  removed: number
}

/**
 * Makes the tables of the destination equal to the source: writes new and changed rows, and deletes rows that the source
 * lacks. Nonces, revoked tokens and the cut-over time neither decrease nor disappear. Idempotent, and may be interrupted
 * at any point. Rejects with StartError if the destination rejects a row.
 */
export async function copyTables(
  tables: TableShape[],
  from: Pick<Snapshot, 'run'>,
  to: Sink,
  report: (copied: Copied) => void = () => undefined,
): Promise<Copied[]> {
  const all: Copied[] = []
  for (const table of tables) {
    const copied = await copyTable(table, from.run, to)
    all.push(copied)
    report(copied)
  }
  if (to.dialect === 'postgres') await to.session((run) => raiseSequences(tables, run))
  return all
}

async function copyTable(table: TableShape, from: Run, to: Sink): Promise<Copied> {
  try {
    return await attemptTable(table, from, to)
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error
  }
  // a row may have the unique value of another row that a later batch changes
  if (growingColumn(table.name) === undefined) await to.session((run) => run(text(`DELETE FROM ${table.name}`)))
  return attemptTable(table, from, to).catch((error: unknown) => {
    if (!(error instanceof UnstorableError)) throw error
    throw new StartError([`the destination does not take a row of the table ${table.name}.`])
  })
}

async function attemptTable(table: TableShape, from: Run, to: Sink): Promise<Copied> {
  const copied: Copied = { table: table.name, rows: 0, written: 0, removed: 0 }
  for await (const rows of batches(table, table.columns, from)) {
    copied.written += await to.session(async (run) => (await run(upsert(table, rows, to.dialect))).changes)
    copied.rows += rows.length
  }
  if (growingColumn(table.name) !== undefined) return copied
  // every row of the source exists now, so equal counts mean equal keys
  const present = await to.session((run) => countOf(table.name, run))
  if (present > copied.rows) copied.removed = await removeOthers(table, from, to)
  return copied
}

/** Deletes the rows that the source lacks. */
async function removeOthers(table: TableShape, from: Run, to: Sink): Promise<number> {
  let removed = 0
  let after: Value[] | undefined
  for (;;) {
    const page = pageOf(table, table.key, after, PROVIDER_LIMITS.transfer.keys)
    const { rows } = await to.session((run) => run(page))
    const keys = rows.map((row) => table.key.map((column) => row[column] as Value))
    if (keys.length > 0) removed += await removeMissing(table, keys, from, to)
    if (keys.length < PROVIDER_LIMITS.transfer.keys) return removed
    after = keys.at(-1)
  }
}

async function removeMissing(table: TableShape, keys: Value[][], from: Run, to: Sink): Promise<number> {
  const { rows } = await from({
    text: `SELECT ${table.key.join(', ')} FROM ${table.name} WHERE ${anyOf(table, keys.length)}`,
    values: keys.flat(),
  })
  const found = new Set(rows.map((row) => JSON.stringify(table.key.map((column) => row[column]))))
  const missing = keys.filter((key) => !found.has(JSON.stringify(key)))
  if (missing.length === 0) return 0
  const query = { text: `DELETE FROM ${table.name} WHERE ${anyOf(table, missing.length)}`, values: missing.flat() }
  return to.session(async (run) => (await run(query)).changes)
}

function anyOf({ key }: TableShape, count: number): string {
  const one = `(${key.map((column) => `${column} = ?`).join(' AND ')})`
  return Array.from({ length: count }, () => one).join(' OR ')
}

/** Reads a table in the order of its key. Large rows make small batches: a document has up to a megabyte. */
async function* batches(table: TableShape, columns: string[], run: Run): AsyncGenerator<Result['rows']> {
  const size = new BatchSize()
  let after: Value[] | undefined
  for (;;) {
    const limit = size.rows
    const { rows } = await run(pageOf(table, columns, after, limit))
    if (rows.length > 0) yield rows
    if (rows.length < limit) return
    after = table.key.map((column) => rows.at(-1)?.[column] as Value)
    size.noted(rows)
  }
}

function pageOf({ name, key }: TableShape, columns: string[], after: Value[] | undefined, limit: number): Query {
  const order = key.join(', ')
  const beyond = after ? `WHERE (${order}) > (${key.map(() => '?').join(', ')})` : ''
  return {
    text: `SELECT ${columns.join(', ')} FROM ${name} ${beyond} ORDER BY ${order} LIMIT ${limit}`,
    values: after ?? [],
  }
}

function upsert({ name, columns, key }: TableShape, rows: Result['rows'], dialect: Dialect): Query {
  const places = `(${columns.map(() => '?').join(', ')})`
  const others = columns.filter((column) => !key.includes(column))
  const growing = growingColumn(name)
  const differs = growing
    ? `excluded.${growing} > ${name}.${growing}`
    : others.map((column) => `${name}.${column} IS DISTINCT FROM excluded.${column}`).join(' OR ')
  const update = `DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(', ')} WHERE ${differs}`
  // generated ids must equal those of the source
  const overriding = dialect === 'postgres' ? 'OVERRIDING SYSTEM VALUE' : ''
  return {
    text: `INSERT INTO ${name} (${columns.join(', ')}) ${overriding} VALUES ${rows.map(() => places).join(', ')}
      ON CONFLICT (${key.join(', ')}) ${others.length > 0 ? update : 'DO NOTHING'}`,
    values: rows.flatMap((row) => columns.map((column) => valueFor(row[column], dialect))),
  }
}

/**
 * Converts a value for the dialect: SQLite has numbers for booleans, and its library returns bytes as ArrayBuffer, which
 * the PostgreSQL client rejects.
 */
function valueFor(value: unknown, dialect: Dialect): Value {
  if (value instanceof ArrayBuffer) return Buffer.from(value) as unknown as Value
  return (dialect === 'sqlite' && typeof value === 'boolean' ? Number(value) : value) as Value
}

/** Raises PostgreSQL's sequences above the copied ids. */
async function raiseSequences(tables: TableShape[], run: Run): Promise<void> {
  for (const { name, columns } of tables)
    for (const column of columns) {
      const sequence = (await run({ text: 'SELECT pg_get_serial_sequence(?, ?) AS name', values: [name, column] })).rows
      if (sequence[0]?.name == null) continue
      const highest = `(SELECT max(${column}) FROM ${name})`
      await run({
        text: `SELECT setval(CAST(? AS regclass), ${highest}) WHERE ${highest} IS NOT NULL`,
        values: [sequence[0].name],
      })
    }
}

/** Counts the rows of a table. */
export async function countOf(table: string, run: Run): Promise<number> {
  return Number((await run(text(`SELECT count(*) AS n FROM ${table}`))).rows[0]?.n)
}

/**
 * Compares the number of rows of each table after a pass. Rejects with StartError if they differ. Tables without
 * deletions may have more rows in the destination.
 */
export async function compareCounts(copied: Copied[], to: Sink): Promise<void> {
  const wrong: string[] = []
  for (const { table, rows } of copied) {
    const there = await to.session((run) => countOf(table, run))
    if (there === rows || (there > rows && growingColumn(table) !== undefined)) continue
    wrong.push(`the table ${table} has ${rows} rows in the source and ${there} in the destination: run it again.`)
  }
  if (wrong.length > 0) throw new StartError(wrong)
}
