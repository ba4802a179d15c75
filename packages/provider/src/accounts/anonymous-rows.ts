import { createHash } from 'node:crypto'
import { type Driver, type Result, sql, type Value } from '@tidegate/database'
import { zeroAddress } from 'viem'
import { PROVIDER_LIMITS } from '../limits.js'

const { rows: READ } = PROVIDER_LIMITS.accounts
/** Rows of one statement, and statements that share a commit of the embedded database. */
const AT_ONCE = 100
const TOGETHER = 8

type Row = Result['rows'][number]

/** A table with a consumer in each row. */
export interface ConsumerTable {
  table: string
  /** Columns of the primary key, with their types. */
  key: Record<string, 'BIGINT' | 'TEXT'>
  /** The transaction of the order, if it may not stay. */
  order?: string
}

/**
 * Replaces an account by the zero address in all rows of a table, so that sums stay as they are. Deliveries get another
 * transaction as well: by the real one, anybody finds the account on the chain. Returns the number of rows. Reads and writes in
 * bounded steps, and continues after an interruption.
 */
export async function anonymize(
  db: Driver,
  { table, key, order }: ConsumerTable,
  { address, salt }: { address: string; salt: string },
): Promise<number> {
  const columns = [...Object.keys(key), ...(order ? [order] : [])].join(', ')
  const find = sql(`SELECT ${columns} FROM ${table} WHERE consumer = :address LIMIT ${READ}`)
  const text = replacement(table, key, order)
  let count = 0
  for (;;) {
    // the connection of a stream is free before the first write: there may be only one
    const rows: Row[] = []
    for await (const row of db.stream(find({ address }))) rows.push(row)
    if (rows.length === 0) return count
    for (let at = 0; at < rows.length; at += AT_ONCE * TOGETHER) {
      const queries: Promise<Result>[] = []
      for (let from = at; from < Math.min(rows.length, at + AT_ONCE * TOGETHER); from += AT_ONCE)
        queries.push(db.query({ text, values: valuesOf(rows.slice(from, from + AT_ONCE)) }))
      for (const { changes } of await Promise.all(queries)) count += changes
    }
  }

  function valuesOf(rows: readonly Row[]): Value[] {
    // one size, so that there is one statement to prepare
    const padded = Array.from({ length: AT_ONCE }, (_, at) => rows[at] ?? (rows[0] as Row))
    const values = padded.flatMap((row) => [
      ...Object.keys(key).map((column) => row[column] as Value),
      ...(order ? [pseudonym(salt, String(row[order]))] : []),
    ])
    return [...values, zeroAddress, address]
  }
}

/** Returns the statement for some rows. */
function replacement(table: string, key: ConsumerTable['key'], order: string | undefined): string {
  const columns = Object.keys(key)
  const types = [...Object.values(key), ...(order ? ['TEXT'] : [])]
  const row = `(${types.map((type) => `CAST(? AS ${type})`).join(', ')})`
  const own = columns.map((column) => `v.${column} = ${table}.${column}`).join(' AND ')
  const change = order ? `, ${order} = (SELECT v.other FROM v WHERE ${own} LIMIT 1)` : ''
  // IN makes SQLite find each row by its key: it joins a list of values by reading the whole table
  return `WITH v (${[...columns, ...(order ? ['other'] : [])].join(', ')}) AS (VALUES ${Array(AT_ONCE).fill(row).join(', ')})
    UPDATE ${table} SET consumer = CAST(? AS TEXT)${change}
    WHERE (${columns.join(', ')}) IN (SELECT ${columns.join(', ')} FROM v) AND consumer = CAST(? AS TEXT)`
}

/** Returns a text like a transaction: the same for all deliveries of an order, which reports count. */
function pseudonym(salt: string, order: string): string {
  return `0x${createHash('sha256').update(`${salt} ${order}`).digest('hex')}`
}
