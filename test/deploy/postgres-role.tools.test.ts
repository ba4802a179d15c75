import { spawnSync } from 'node:child_process'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../packages/provider/src/state/postgres.js'
import { program } from '../helpers/deploy-tools.js'
import { page, REPOSITORY } from '../helpers/pages.js'
import { PG_PASSWORD, type PostgresBackend, startPostgresServer } from '../helpers/postgres-server.js'

const psql = program('psql')
if (!psql) console.warn('SKIPPED: the role of PostgreSQL. psql is not installed (Debian: postgresql-client).')

/** Runs deploy/postgres-role.sql on a real PostgreSQL, as docs/operations.md does. */
describe.skipIf(!psql)('the role of deploy/postgres-role.sql', () => {
  let postgres: PostgresBackend
  let url: string
  /** Runs the script by the command of the page, with a password. */
  function runScript(password: string) {
    const { blocks } = page('docs/operations.md')
    const [text = ''] = blocks.flatMap(({ text }) => (text.includes('postgres-role.sql') ? [text] : []))
    const at = text.indexOf('TIDEGATE_PASSWORD=')
    const command = text.slice(at).replace(/"\$\(.*?\)"/, '"$$PASSWORD"')
    const stand = 'sudo() { while [ "$1" != psql ]; do shift; done; "$@"; }\n'
    const server = { PGHOST: '127.0.0.1', PGPORT: `${postgres.port}`, PGUSER: 'postgres', PGPASSWORD: PG_PASSWORD }
    const env = { PATH: process.env.PATH, ...server, PASSWORD: password }
    return spawnSync('bash', ['--norc', '-ec', stand + command], { cwd: REPOSITORY, encoding: 'utf8', env })
  }
  beforeAll(async () => {
    postgres = await startPostgresServer()
    expect(runScript('')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('The password of the role is empty'),
    })
    expect(runScript("sea's")).toMatchObject({ status: 0, stderr: '' })
    const admin = new pg.Client({ connectionString: postgres.url() })
    await admin.connect()
    await admin.query('CREATE DATABASE other')
    await admin.query('REVOKE CONNECT ON DATABASE other FROM PUBLIC')
    await admin.end()
    url = `postgres://tidegate:sea's@127.0.0.1:${postgres.port}/tidegate`
  })
  afterAll(() => postgres?.close())

  it('is sufficient for the service', async () => {
    const store = await openPostgresStore({ url, connections: 2, timeout: 60_000 })
    expect(await store.checkHealth({ thorough: true })).toBeUndefined()
    await store.close()
  })

  it('may not create roles, databases or extensions that read files, nor read other databases', async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    for (const statement of [
      'CREATE ROLE friend',
      'CREATE DATABASE further',
      'CREATE EXTENSION file_fdw',
      "SELECT pg_read_file('/etc/passwd')",
      "COPY (SELECT 1) TO PROGRAM 'true'",
    ])
      await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' })
    await client.end()
    const elsewhere = new pg.Client({ connectionString: url.replace(/tidegate$/, 'other') })
    await expect(elsewhere.connect()).rejects.toMatchObject({ code: '42501' })
  })
})
