import type { Query } from './sql.js'

/** What a service keeps in its database. The rooms of the service own the tables; a database knows how to create and probe them. */
export interface Schema {
  /** The steps that make the tables, oldest first. A database records how many it has had. */
  migrations: string[]
  /** Runs in the transaction of the migrations. */
  afterMigration(): Query
  /** Tests whether the database can be read. */
  probe: Query
  /** Two statements, a transaction each, that test whether it can be written, and undo themselves. */
  probeWrites(): [Query, Query]
  /** The module of the thread that does the work of `Driver.onThread`: it exports the tasks of `databaseTasks`. */
  worker: URL
}

/** Throws unless a database has the schema of this version; a read-only connection cannot migrate it. */
export function assertCurrent(version: number, current: number): void {
  if (version > current) throw new Error('it was made by a newer version of Tidegate')
  if (version < current)
    throw new Error(
      'it was made by another version of Tidegate than this: start the newer version of the service first',
    )
}
