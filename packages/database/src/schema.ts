import type { Query } from './sql.js'

/** The schema of a service's database. The rooms of the service own the tables; the database creates and probes them. */
export interface Schema {
  /** Migrations, oldest first. A database records how many were applied. */
  migrations: string[]
  /** Statement at the end of the transaction of the migrations. */
  afterMigration(): Query
  /** Statements for a promoted standby, which may lack the last writes. They run before any other statement. */
  afterPromotion?(): Query[]
  /** Statement that tests reading. */
  probe: Query
  /** Two statements that test writing: the second undoes the first, in its own transaction. */
  probeWrites(): [Query, Query]
  /** Module of the thread for `Driver.onThread`. It exports the tasks of `databaseTasks`. */
  worker: URL
}

/** Throws unless a database has the schema of this version, because a read-only connection cannot migrate it. */
export function assertCurrent(version: number, current: number): void {
  if (version > current) throw new Error('it was made by a newer version of Tidegate')
  if (version < current)
    throw new Error(
      'it was made by another version of Tidegate than this: start the newer version of the service first',
    )
}
