import { randomBytes } from 'node:crypto'
import type { Look } from './store.js'
import type { Trouble } from './trouble.js'

/** What a column holds. Whole numbers are below 2^53 throughout. */
export type Value = string | number | null

/** One statement, with `?` for each of its values. The SQL keeps to what SQLite and PostgreSQL both understand. */
export interface Query {
  text: string
  values: Value[]
  /** It gives one row at most. */
  single?: boolean
}

export interface Result {
  rows: Record<string, Value>[]
  /** Rows that were written. */
  changes: number
}

/**
 * Several statements in one transaction: yields each and is handed its result. A generator, so that one script runs
 * on a database that answers at once as on one that lets wait.
 */
export type Script<T> = Generator<Query, T, Result>

/**
 * A database. Every method rejects with StateError where it cannot answer, and then nothing was accepted; a script is
 * thrown each error where it yielded, and may go on from a savepoint where that is UnstorableError.
 */
export interface Driver {
  query(query: Query): Promise<Result>
  transact<T>(script: Script<T>): Promise<T>
  /** The same for work that waits for something else in between: nobody else may use the database meanwhile. */
  session<T>(work: (run: (query: Query) => Promise<Result>) => Promise<T>): Promise<T>
  /**
   * Whether this instance is the one that does a task which only one should do: of all that ask, on one database, one
   * is told so until it is gone.
   */
  lead(task: string): Promise<boolean>
  /** What is wrong with it, if anything: see StateStore. */
  trouble(how?: Look): Promise<Trouble | undefined>
  close(): Promise<void>
}

/**
 * A statement with named values (`:name`), to be filled from an object that may hold more than it uses. Throws where a
 * value is missing: a name that is misspelt must not become null.
 */
export function sql(text: string, { single = false } = {}): (values?: object) => Query {
  const names: string[] = []
  const positional = text.replace(/:(\w+)/g, (_, name: string) => {
    names.push(name)
    return '?'
  })
  return (values = {}) => ({
    text: positional,
    single,
    values: names.map((name) => {
      const value = (values as Record<string, Value | undefined>)[name]
      if (value === undefined) throw new Error(`The statement has no value for ${name}.`)
      return value
    }),
  })
}

/** The same for a statement that gives one row at most, which costs less to read. */
export function sqlOne(text: string): (values?: object) => Query {
  return sql(text, { single: true })
}

/** A statement that reads a row. */
export const ANYTHING: Query = { text: 'SELECT id FROM identity', values: [] }

/**
 * Two statements, a transaction each, that find out whether a database takes writes, and leave nothing behind. So much
 * text that it takes a full disk more than the rest of a page: what accepts a request takes a few.
 */
export function probe(): [Query, Query] {
  const row = { id: 'probe', role: randomBytes(16_384).toString('hex') }
  return [PROBE(row), UNDO_PROBE(row)]
}

const PROBE = sql(
  'INSERT INTO identity (id, role) VALUES (:id, :role) ON CONFLICT (id) DO UPDATE SET role = excluded.role',
)
const UNDO_PROBE = sql('DELETE FROM identity WHERE id = :id')
