import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../packages/provider/src/state/postgres.js'
import { type PostgresBackend, startPostgres } from '../helpers/backends.js'
import { REPOSITORY } from '../helpers/pages.js'

/** Runs deploy/postgres-role.sql on a real PostgreSQL, without the commands that only psql understands. */
describe('the role of deploy/postgres-role.sql', () => {
  let postgres: PostgresBackend
  let url: string
  beforeAll(async () => {
    postgres = await startPostgres()
    const text = readFileSync(`${REPOSITORY}deploy/postgres-role.sql`, 'utf8')
    expect(text).toContain('\\set password `cat /run/secrets/tidegate-password`\n')
    const statements = text
      .replaceAll(/^(--|\\).*$/gm, '')
      .replace(":'password'", "'sea'")
      .split(';')
    const admin = new pg.Client({ connectionString: postgres.url() })
    await admin.connect()
    for (const statement of statements) if (statement.trim()) await admin.query(statement)
    await admin.query('CREATE DATABASE other')
    await admin.query('REVOKE CONNECT ON DATABASE other FROM PUBLIC')
    await admin.end()
    url = `postgres://tidegate:sea@127.0.0.1:${postgres.port}/tidegate`
  })
  afterAll(() => postgres.close())

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
