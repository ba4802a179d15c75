import { join } from 'node:path'
import Database from 'libsql'
import { beforeAll, describe, expect, it } from 'vitest'
import { atEnd, newFolder } from '../../../../test/helpers/cleanup.js'
import { openHere, runHere } from '../../../../test/helpers/command-here.js'
import { onPostgres } from '../../../../test/helpers/on-postgres.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import { SETTINGS_ALONE } from '../../../../test/helpers/states.js'
import { emptiedAfterEach, OTHER_DEFAULTS, StoreSession, setDefaults } from '../../../../test/helpers/store-session.js'
import { openPostgres } from '../../src/state/postgres.js'
import { deliverySuite } from './store-suite/deliveries.js'
import { nonceSuite } from './store-suite/nonces.js'
import { emptyState } from './stores.js'

describe('a database with other defaults than those of PostgreSQL', () => {
  let server: PostgresDatabase
  beforeAll(async () => {
    server = await startPostgres()
  })
  const create = async () => {
    const under = await emptyState(server)
    await setDefaults(under.url, OTHER_DEFAULTS)
    return under
  }
  const settings = (url: string) => ({ ...SETTINGS_ALONE, STATE_DIR: newFolder(), DATABASE_URL: url })

  describe('holds nonces and deliveries as any other one', () => {
    const session = new StoreSession(emptiedAfterEach(create))
    nonceSuite(session)
    deliverySuite(session)
  })

  it('gives every session the settings of the service', async () => {
    const { url } = await create()
    const driver = await openPostgres({ url, connections: 1, timeout: 7000 })
    atEnd(() => driver.close())
    const names = Object.keys(OTHER_DEFAULTS).map((name) => `current_setting('${name}') AS "${name}"`)
    const { rows } = await driver.query({ text: `SELECT ${names.join(', ')}`, values: [] })
    expect(rows[0]).toEqual({
      default_transaction_isolation: 'read committed',
      default_transaction_read_only: 'off',
      default_transaction_deferrable: 'off',
      statement_timeout: '7s',
      lock_timeout: '0',
      idle_in_transaction_session_timeout: '30s',
      idle_session_timeout: '0',
      search_path: '"$user", public',
      TimeZone: 'UTC',
      DateStyle: 'ISO, MDY',
      IntervalStyle: 'postgres',
      standard_conforming_strings: 'on',
      bytea_output: 'hex',
      extra_float_digits: '3',
      synchronous_commit: 'on',
      gin_fuzzy_search_limit: '0',
      transform_null_equals: 'off',
      client_encoding: 'UTF8',
      application_name: 'tidegate',
    })
    for (const args of [['report'], ['files', 'list'], ['state', 'check']])
      expect(await runHere(args, settings(url)), args.join(' ')).toMatchObject({ status: 0, stderr: '' })
  })

  it.each([
    'application_name=other',
    'statement_timeout=1&query_timeout=1&lock_timeout=1',
    'pgbouncer=true&connection_limit=1&schema=public&pool_timeout=0',
    'sslmode=disable&channel_binding=prefer&connect_timeout=10&target_session_attrs=read-write&gssencmode=disable',
    'options=-c%20statement_timeout%3D60000%20-c%20default_transaction_read_only%3Don',
  ])('is opened by a URL with %s', async (parameters) => {
    const { url } = await emptyState(server)
    expect(await openHere(settings(`${url}?${parameters}`))).toMatchObject({ status: 0, stderr: '' })
    expect(await runHere(['report'], settings(`${url}?${parameters}`))).toMatchObject({ status: 0, stderr: '' })
  })

  it('is refused if it cannot store all texts', async () => {
    const latin = `latin_${Date.now()}`
    await onPostgres(
      server.url(),
      `CREATE DATABASE ${latin} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc`,
    )
    expect(await openHere(settings(server.url(latin)))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('its encoding is not UTF8'),
    })
  })

  it('is named by the words of the server, without the password', async () => {
    const { stderr } = await openHere(settings(server.url().replace(/:secret@/, ':hunter2@')))
    expect(stderr).toContain('(28P01). The server says: password authentication failed for user "postgres"')
    expect(stderr).not.toContain('hunter2')
  })

  it('is opened by every command if it is the second of two servers, and the first one is dead', async () => {
    const [{ url }, { url: other }] = [await emptyState(server), await emptyState(server)]
    const [both, target] = [url, other].map((one) => one.replace('@', '@127.0.0.1:1,')) as [string, string]
    expect(await openHere(settings(both))).toMatchObject({ status: 0, stderr: '' })
    expect((await runHere(['doctor'], settings(both))).stdout).toContain('PostgreSQL: answers and takes writes')
    const legacy = join(newFolder(), 'legacy.sqlite')
    const old = new Database(legacy)
    old.exec('CREATE TABLE user_nonce (address TEXT, nonce TEXT)')
    old.close()
    for (const args of [
      ['report'],
      ['report', '--hosted'],
      ['files', 'list'],
      ['reindex'],
      ['import', '--sqlite', legacy],
      ['state', 'check'],
      ['state', 'restored', '--force'],
      ['state', 'copy', '--from', 'postgres', '--to', target],
    ])
      expect(await runHere(args, settings(both)), args.join(' ')).toMatchObject({ status: 0, stderr: '' })
  })

  it('is opened through a socket by a URL without a host', async () => {
    const [row] = await onPostgres(server.url(), 'SHOW unix_socket_directories')
    const folder = String(row?.unix_socket_directories).split(',')[0] as string
    const url = `postgres://postgres:secret@/postgres?host=${encodeURIComponent(folder)}&port=${server.port}`
    expect(await openHere(settings(url))).toMatchObject({ status: 0, stderr: '' })
    const nowhere = await openHere(settings('postgres://postgres:hunter2@/postgres?host=/nowhere'))
    expect(nowhere.stderr).toContain('at /nowhere as user postgres cannot be used')
    expect(nowhere.stderr).not.toContain('hunter2')
  })
})
