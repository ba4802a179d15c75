import type { DatabaseFault, HealthCheckOptions } from './fault.js'
import type { Snapshots } from './snapshots.js'

/** The two databases. */
export type Dialect = 'sqlite' | 'postgres'

/** A column value. All integers are below 2^53. */
export type Value = string | number | null

/** A statement with `?` for each value, valid for both databases. */
export interface Query {
  text: string
  values: Value[]
  /** Returns at most one row. The statement names its columns, since those of `*` change with a migration. */
  single?: boolean
  /** The text is one of few: a connection may keep its plan. */
  isFixed?: boolean
  /** A durable write whose repetition, at any later time, changes nothing. A promoted standby gets it again. */
  isRepeatable?: boolean
  /** Returns at most one row, quickly for any data. The embedded database runs it on the event loop. */
  isBrief?: boolean
}

export interface Result {
  rows: Record<string, Value>[]
  /** Written rows. */
  changes: number
}

/**
 * Several statements of one transaction. Yields each one and receives its result. As a generator, a script runs on
 * synchronous and asynchronous databases.
 */
export type Script<T> = Generator<Query, T, Result>

/** Work for a thread in one transaction: name of a script (`Schema.worker`), and its input as plain data. */
export interface ThreadWork {
  task: string
  input?: unknown
}

/** The scripts of threads, by name. The first argument is the input of the work. */
export type ThreadScripts = Record<string, (input: never, dialect: Dialect) => Script<boolean>>

/**
 * A database. If it fails, each method rejects with StateError and writes nothing; a write whose sync fails may stay. A
 * script gets the error of a statement at its `yield`; after UnstorableError it may continue from a savepoint.
 */
export interface Driver {
  readonly dialect: Dialect
  query(query: Query): Promise<Result>
  transact<T>(script: Script<T>): Promise<T>
  /**
   * Runs work in one transaction off the event loop. Returns undefined if the event loop is faster, by the number of
   * written rows (`rows`, about 4 KB each).
   */
  onThread?(work: ThreadWork, rows?: number): Promise<boolean> | undefined
  /** Reads within a deadline. */
  readonly snapshots: Snapshots
  /**
   * Reads rows in batches, from one snapshot and without a timeout. Each batch of the embedded database blocks the event
   * loop: for commands, not for the service.
   */
  stream(query: Query): AsyncIterable<Result['rows'][number]>
  /** Like `transact`, for asynchronous work. Requires exclusive use of the database. */
  session<T>(work: (run: (query: Query) => Promise<Result>) => Promise<T>): Promise<T>
  /** Tries to become the leader of a task. Among the instances of a database, one leads until it exits or its lease expires. */
  tryLead(task: string): Promise<boolean>
  /** Returns the fault of the database, if any. Reads from the database; after a failure, or when idle, also probes a write. */
  checkHealth(options?: HealthCheckOptions): Promise<DatabaseFault | undefined>
  /** Time of the last successful write of this instance, in milliseconds since 1970; undefined before the first one. */
  readonly lastWrite: number | undefined
  /** Changes if a standby was promoted, which may lack the last writes: values read before may be outdated. */
  readonly timeline?: number | undefined
  close(): Promise<void>
}

/**
 * Prepares a statement with named values (`:name`). The returned function takes an object with these values. It throws
 * if one is missing: a misspelt name must not become null.
 */
export function sql(text: string, options: Pick<Query, 'single' | 'isRepeatable'> = {}): (values?: object) => Query {
  const names: string[] = []
  const positional = text.replace(/:(\w+)/g, (_, name: string) => {
    names.push(name)
    return '?'
  })
  const { single = false, isRepeatable = false } = options
  // no copy of the options: V8 is slow to make one for each query
  return (values = {}) => ({
    text: positional,
    values: names.map((name) => {
      const value = (values as Record<string, Value | undefined>)[name]
      if (value === undefined) throw new Error(`The statement has no value for ${name}.`)
      return value
    }),
    single,
    isRepeatable,
  })
}

/** Prepares a statement that returns at most one row, which is cheaper. */
export function sqlOne(text: string): (values?: object) => Query {
  return sql(text, { single: true })
}

/** Returns a statement with `$1`, `$2` … for its question marks. */
export function numbered(text: string): string {
  let at = 0
  return text.replace(/\?/g, () => `$${++at}`)
}
