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
  /**
   * Whether this instance is the one that does a task which only one should do: of all that ask, on one database, one
   * is told so until it is gone.
   */
  lead(task: string): Promise<boolean>
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
