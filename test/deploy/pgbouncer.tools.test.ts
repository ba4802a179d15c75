import { beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../packages/provider/src/state/postgres.js'
import { key } from '../../packages/provider/test/state/stores.js'
import { atEnd, newFolder } from '../helpers/cleanup.js'
import { openHere, runHere } from '../helpers/command-here.js'
import { program } from '../helpers/deploy-tools.js'
import { onPostgres } from '../helpers/on-postgres.js'
import { startPgBouncer } from '../helpers/pgbouncer.js'
import { type PostgresBackend, startPostgresServer } from '../helpers/postgres-server.js'
import { SETTINGS_ALONE } from '../helpers/states.js'
import { BOB } from '../helpers/store-session.js'

const pgbouncer = program('pgbouncer') as string
if (!pgbouncer) console.warn('SKIPPED: PgBouncer is not installed (Debian: pgbouncer).')

describe.skipIf(!pgbouncer)('PgBouncer before PostgreSQL', () => {
  let server: PostgresBackend
  beforeAll(async () => {
    server = await startPostgresServer()
  })
  const settings = (url: string) => ({ ...SETTINGS_ALONE, STATE_DIR: newFolder(), DATABASE_URL: url })

  it('serves the service and its commands in session mode', async () => {
    const url = await startPgBouncer(pgbouncer, server, { pool_mode: 'session', default_pool_size: 8 })
    const store = await openPostgresStore({ url, connections: 3, timeout: 5000 })
    atEnd(() => store.close())
    expect(await store.checkHealth({ thorough: true })).toBeUndefined()
    expect(await store.index.tryLead(1)).toBe(true)
    expect(await store.nonces.consume(BOB, key('5'))).toBe(true)
    for (const args of [['report'], ['files', 'list'], ['reindex'], ['state', 'check']])
      expect(await runHere(args, settings(url)), args.join(' ')).toMatchObject({ status: 0, stderr: '' })
    expect(await openHere(settings(url))).toMatchObject({ status: 0, stderr: '' })
    const [row] = await onPostgres(
      server.url(),
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'tidegate'",
    )
    expect(row?.n).toBeGreaterThan(0)
  })

  it.each([
    { pool_mode: 'transaction' },
    { pool_mode: 'transaction', server_round_robin: 1 },
    { pool_mode: 'transaction', server_reset_query_always: 1 },
    { pool_mode: 'statement' },
  ] as const)('is refused by the service and its commands with %o, and keeps no setting', async (mode) => {
    const url = await startPgBouncer(pgbouncer, server, { ...mode, default_pool_size: 3, min_pool_size: 3 })
    const refused = {
      status: 2,
      stderr: expect.stringContaining(
        'pooler in transaction mode, which lends a session to one client after the other',
      ),
    }
    for (const args of [['report'], ['files', 'list'], ['reindex'], ['state', 'check']])
      expect(await runHere(args, settings(url)), args.join(' ')).toMatchObject(refused)
    expect(await openHere(settings(url))).toMatchObject(refused)
    for (let tries = 0; tries < 5; tries++)
      expect(await onPostgres(url, 'SHOW default_transaction_read_only')).toEqual([
        { default_transaction_read_only: 'off' },
      ])
  })

  it('is named by the words of its refusal, without the password', async () => {
    const url = await startPgBouncer(pgbouncer, server, { pool_mode: 'session' })
    const { stderr } = await openHere(settings(`${url}?options=-c%20work_mem%3D1MB`))
    expect(stderr).toContain('(08P01). The server says: unsupported startup parameter: options')
    expect(stderr).not.toContain('secret')
    expect(await openHere(settings(url.replace('/postgres', '/elsewhere')))).toMatchObject({
      stderr: expect.stringContaining('elsewhere'),
    })
  })
})
