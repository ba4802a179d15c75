import type { DatabaseFault, HealthCheckOptions } from './fault.js'
import type { Snapshots } from './snapshots.js'

/** The databases, whose statements differ in places. */
export type Dialect = 'sqlite' | 'postgres'

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

/** Work that a thread does in one transaction: the name of a script of the schema (see `Schema.worker`), and its input as plain data. */
export interface ThreadWork {
  task: string
  input?: unknown
}

/** The scripts that threads run, by name. The first argument is the input of the work. */
export type ThreadScripts = Record<string, (input: never, dialect: Dialect) => Script<boolean>>

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
  /** Reads within a deadline. */
  readonly snapshots: Snapshots
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
  /** Returns the fault of the database, if any. Reads from it, and after a failure probes it with a write. */
  checkHealth(options?: HealthCheckOptions): Promise<DatabaseFault | undefined>
  /** Time of this instance's last successful write, in milliseconds since 1970; undefined before the first one. */
  readonly lastWrite: number | undefined
  close(): Promise<void>
}

/**
 * Prepares a statement with named values (`:name`). The returned function takes an object with at least these values.
 * It throws if one is missing: a misspelt name must not become null.
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

/** Returns a statement with its question marks numbered: $1, $2 … */
export function numbered(text: string): string {
  let at = 0
  return text.replace(/\?/g, () => `$${++at}`)
}
