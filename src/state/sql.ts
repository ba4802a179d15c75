import { randomBytes } from 'node:crypto'
import type { Found, Scope, Search } from '../search/syntax.js'
import type { Dialect } from './dialect.js'
import type { DatabaseFault } from './fault.js'
import type { IndexBatch, IndexRole } from './index-store.js'
import type { HealthCheckOptions } from './store.js'

/** A column value. All integers are below 2^53. */
export type Value = string | number | null

/** A statement, with `?` for each of its values. Its SQL must be valid for both SQLite and PostgreSQL. */
export interface Query {
  text: string
  values: Value[]
  /** Returns at most one row, whose columns the statement names: those of a `*` change under a migration. */
  single?: boolean
  /** One of few texts, of which a connection may keep a plan. */
  isFixed?: boolean
  /** Returns at most one row, in a moment, whatever is stored: a search in the embedded database runs it on the event loop. */
  isBrief?: boolean
  /** The statement that probably follows. A database at a distance may get it together with this one. */
  next?: Query | undefined
  /** No statement follows: the transaction may end with this one. */
  isLast?: boolean
}

export interface Result {
  rows: Record<string, Value>[]
  /** Rows written. */
  changes: number
}

/**
 * Several statements in one transaction: yields each one and receives its result. A generator, so that the same script
 * runs on a synchronous database as well as on an asynchronous one.
 */
export type Script<T> = Generator<Query, T, Result>

/** Work that a thread does in one transaction, as plain data. */
export type ThreadWork =
  | { task: 'commit'; role: IndexRole; batch: IndexBatch }
  | { task: 'undo'; role: IndexRole; chainId: number }
  | { task: 'sweep'; chainId: number }
  | { task: 'build' }
  | { task: 'statements'; queries: Query[] }

/**
 * A database. Every method rejects with StateError where the database fails, and then nothing was written. An error of
 * a statement is thrown into its script at the `yield`; after UnstorableError the script may continue from a savepoint.
 */
export interface Driver {
  readonly dialect: Dialect
  query(query: Query): Promise<Result>
  transact<T>(script: Script<T>): Promise<T>
  /**
   * Runs work in one transaction off the event loop. Returns undefined if it writes so few rows (`rows`, of about 4 KB each)
   * that the event loop does it sooner.
   */
  onThread?(work: ThreadWork, rows?: number): Promise<boolean> | undefined
  /**
   * Finds documents, all from one snapshot, off the event loop and within a deadline. Rejects with SearchError where
   * that passes or there are too many searches, and ValidationError for one that is too expensive.
   */
  find(search: Search, scope: Scope): Promise<Found>
  /**
   * Reads the rows of a statement in batches, from one snapshot and without a time-out. On the embedded database each
   * batch blocks the event loop: for commands, not for the service.
   */
  stream(query: Query): AsyncIterable<Result['rows'][number]>
  /** Like `transact`, for asynchronous work. Requires exclusive use of the database. */
  session<T>(work: (run: (query: Query) => Promise<Result>) => Promise<T>): Promise<T>
  /**
   * Tries to become the leader of a task. Of all instances on one database, one is the leader until it exits or its
   * lease expires.
   */
  tryLead(task: string): Promise<boolean>
  /** Returns the fault of the database, if any; see StateStore. */
  checkHealth(options?: HealthCheckOptions): Promise<DatabaseFault | undefined>
  /** Time of this instance's last successful write, in milliseconds since 1970; undefined before the first one. */
  readonly lastWrite: number | undefined
  close(): Promise<void>
}

/**
 * Prepares a statement with named values (`:name`). The returned function takes an object with at least these values.
 * It throws where one is missing: a misspelt name must not become null.
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

/** The same for a statement that returns at most one row, which is cheaper. */
export function sqlOne(text: string): (values?: object) => Query {
  return sql(text, { single: true })
}

/** A statement that tests whether the database can be read. */
export const PING: Query = { text: 'SELECT id FROM identity', values: [] }

/**
 * Returns two statements, a transaction each, that test whether a database can be written, and undo themselves. The row
 * needs several pages: a small one could fit into free space of an existing page, and miss that the disk is full.
 */
export function probeWrites(): [Query, Query] {
  const row = { id: 'probe', role: randomBytes(16_384).toString('hex') }
  return [PROBE(row), UNDO_PROBE(row)]
}

const PROBE = sql(
  'INSERT INTO identity (id, role) VALUES (:id, :role) ON CONFLICT (id) DO UPDATE SET role = excluded.role',
)
const UNDO_PROBE = sql('DELETE FROM identity WHERE id = :id')
