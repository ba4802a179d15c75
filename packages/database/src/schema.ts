import type { Dialect, Query } from './sql.js'

/** The tables of one owner: a package, or a room of the service. */
export interface Tables {
  /** Name under which a database records how many of the migrations it has. */
  owner: string
  /**
   * Migrations, oldest first; append only. SQL for both databases, with the placeholders of `PLACEHOLDERS`, or for each. A migration
   * may not rely on tables of another owner.
   */
  migrations: readonly (string | Record<Dialect, string>)[]
}

/** The schema of a service's database. Its owners bring their tables; the database creates and upgrades them. */
export interface Schema {
  tables: readonly Tables[]
  /** Statement at the end of the transaction of the migrations. */
  afterMigration?(): Query
  /** Statements for a promoted standby, which may lack the last writes. They run before any other statement. */
  afterPromotion?(): Query[]
  /** Module of the thread for `Driver.onThread`, which exports the tasks of `databaseTasks`. Without it nothing is written on a thread. */
  worker?: URL
}

/** The number of migrations that a database has, by owner. */
export type Versions = Readonly<Record<string, number>>

/** How the schema of a database compares with that of this version. */
export type Age = 'older' | 'current' | 'newer'

/** The table with the versions of a database, of the columns `owner` and `version`. */
export const VERSIONS_TABLE = 'tidegate_schema'

export const CREATE_VERSIONS = `CREATE TABLE IF NOT EXISTS ${VERSIONS_TABLE} (owner TEXT PRIMARY KEY, version BIGINT NOT NULL)`

/** Tables of the database itself: probed writes, and in PostgreSQL the leases of tasks that one instance may run, and the timeline. */
const OWN: Tables = {
  owner: 'database',
  migrations: [
    {
      sqlite: 'CREATE TABLE probe (id TEXT PRIMARY KEY, filler TEXT NOT NULL);',
      postgres: `
      CREATE TABLE probe (id TEXT PRIMARY KEY, filler TEXT NOT NULL);
      -- holder, server session, and expiry in milliseconds since 1970
      CREATE TABLE leases (task TEXT PRIMARY KEY, holder TEXT NOT NULL, session BIGINT NOT NULL, ends BIGINT NOT NULL);
      CREATE TABLE timeline (number BIGINT NOT NULL);
      `,
    },
  ],
}

/**
 * Placeholders with a text per dialect: a type for bytewise comparison, the time in seconds since 1970, and the option
 * for a table that is a single B-tree.
 */
const PLACEHOLDERS: Record<Dialect, Record<string, string>> = {
  sqlite: {
    BYTE_ORDERED: 'TEXT',
    SECONDS_NOW: "CAST(strftime('%s', 'now') AS INTEGER)",
    STORED_BY_KEY: 'WITHOUT ROWID',
  },
  postgres: {
    BYTE_ORDERED: 'TEXT COLLATE "C"',
    SECONDS_NOW: 'CAST(extract(epoch FROM now()) AS BIGINT)',
    STORED_BY_KEY: '',
  },
}

const all = ({ tables }: Schema): readonly Tables[] => [OWN, ...tables]

/** Returns the versions of a database with all migrations. */
export function versionsOf(schema: Schema): Versions {
  return Object.fromEntries(all(schema).map(({ owner, migrations }) => [owner, migrations.length]))
}

/** Reads the rows of `VERSIONS_TABLE`. */
export function versionsFrom(rows: readonly object[]): Versions {
  return Object.fromEntries(
    (rows as { owner: string; version: number }[]).map(({ owner, version }) => [owner, Number(version)]),
  )
}

/** Compares the versions of a database with a schema: it is newer if any owner is newer, or unknown here. */
export function ageOf(versions: Versions, schema: Schema): Age {
  const current = versionsOf(schema)
  if (Object.entries(versions).some(([owner, version]) => version > (current[owner] ?? 0))) return 'newer'
  return Object.entries(current).every(([owner, version]) => versions[owner] === version) ? 'current' : 'older'
}

/** Returns the statements that bring a database from some versions to others. Default: from nothing to the current ones. */
export function upgrade(schema: Schema, dialect: Dialect, from: Versions = {}, to = versionsOf(schema)): string[] {
  return all(schema).flatMap(({ owner, migrations }) =>
    migrations
      .slice(from[owner] ?? 0, to[owner] ?? 0)
      .map((step) =>
        (typeof step === 'string' ? step : step[dialect]).replace(
          /\b(?:BYTE_ORDERED|SECONDS_NOW|STORED_BY_KEY)\b/g,
          (placeholder) => PLACEHOLDERS[dialect][placeholder] as string,
        ),
      ),
  )
}

/** Throws unless a database has the schema of this version, because a read-only connection cannot migrate it. */
export function assertCurrent(versions: Versions, schema: Schema): void {
  const age = ageOf(versions, schema)
  if (age === 'newer') throw new Error('it was made by a newer version of Tidegate')
  if (age === 'older')
    throw new Error(
      'it was made by another version of Tidegate than this: start the newer version of the service first',
    )
}
