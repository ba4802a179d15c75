import pg from 'pg'
import { type PostgresBackend, startPostgresServer } from '../../test/helpers/postgres-server.js'
import type { Options } from './benchmark.js'

/** That of all benchmarks of a smoke run, which get a database each. */
let shared: PostgresBackend | undefined
let made = 0

/** Starts a PostgreSQL that nothing else uses; in a smoke run, a new database of one that they share. */
export async function postgresFor({ smoke }: Options): Promise<PostgresBackend> {
  // with its own settings, as operators have it: those of tests do not wait for the disk, and their small files of the log would make
  // it write each page far more often
  if (!smoke) return startPostgresServer(undefined, undefined, ['max_wal_size=1GB', 'min_wal_size=80MB'])
  shared ??= await startPostgresServer()
  const server = shared
  const name = `bench_${++made}`
  const client = new pg.Client(server.url())
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return { ...server, url: (database = name) => server.url(database), close: async () => undefined }
}

export async function endSharedPostgres(): Promise<void> {
  await shared?.close()
  shared = undefined
}
