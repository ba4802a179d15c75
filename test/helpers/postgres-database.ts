import { randomBytes } from 'node:crypto'
import { atEnd } from './cleanup.js'
import { onPostgres } from './on-postgres.js'
import { startPostgresServer, urlAt } from './postgres-server.js'

/** A database of the test's own. */
export interface PostgresDatabase {
  /** The port of its server. */
  port: number
  /** Its URL, or that of another database of its server. */
  url(database?: string): string
  /** Makes another one on its server: empty, or a copy of one with a name. Returns its name. */
  another(template?: string): Promise<string>
  /** Removes all of them; at the latest after the last test of the file. */
  close(): Promise<void>
}

/** Names the address that tells the port of the PostgreSQL server of the test run (postgres-of-run.ts). */
export const POSTGRES_OF_RUN = 'TIDEGATE_TEST_POSTGRES'

/** Makes a database on the PostgreSQL server of the test run, for a tenth of what a server of its own takes. */
export async function startPostgres(statements = 'SELECT 1'): Promise<PostgresDatabase> {
  const asked = process.env[POSTGRES_OF_RUN]
  const port = asked === undefined ? (await startPostgresServer()).port : await portAt(asked)
  const admin = urlAt(port, 'postgres')
  const made: string[] = []
  const another = async (template = 'template1') => {
    const name = `test_${randomBytes(8).toString('hex')}`
    await onPostgres(admin, `CREATE DATABASE ${name} TEMPLATE ${template}`)
    made.push(name)
    return name
  }
  const close = atEnd(async () => {
    for (const name of made) await onPostgres(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  })
  const own = await another()
  await onPostgres(urlAt(port, own), statements)
  return { port, url: (database = own) => urlAt(port, database), another, close }
}

async function portAt(address: string): Promise<number> {
  const response = await fetch(address)
  const text = await response.text()
  if (!response.ok) throw new Error(`The PostgreSQL of the test run does not start: ${text}`)
  return Number(text)
}
