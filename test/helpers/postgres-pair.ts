import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.js'
import { onPostgres } from './on-postgres.js'
import { copied, FOR_TESTS, PG_PASSWORD, type PostgresBackend, startPostgresServer } from './postgres-server.js'

/** A standby of a PostgreSQL server. */
export interface Standby extends PostgresBackend {
  /** Resolves when it has all that the primary has written. */
  caughtUp(): Promise<void>
  /** Ends the replication: from here on the standby lags. */
  lag(): Promise<void>
  /** Makes it a primary. Resolves when it accepts writes. */
  promote(): Promise<void>
}

/** A primary and its standby. */
export interface PostgresPair {
  primary: PostgresBackend
  standby: Standby
}

/** Starts a primary with a standby. `isSynchronous`: a commit waits for the standby. */
export async function startPostgresPair(isSynchronous = false): Promise<PostgresPair> {
  const primary = await startPostgresServer()
  return { primary, standby: await startStandby(primary, isSynchronous) }
}

/** Starts a standby of a server, which is stopped for a moment. */
export async function startStandby(primary: PostgresBackend, isSynchronous: boolean): Promise<Standby> {
  const standby = await startPostgresServer('SELECT 1', undefined, FOR_TESTS, (_, data) =>
    primary.stopped(() => copyAsStandby(primary, data)),
  )
  const caughtUp = () =>
    eventually(async () => {
      const [{ lsn } = {}] = await onPostgres(primary.url(), 'SELECT pg_current_wal_flush_lsn()::text AS lsn')
      const [{ done } = {}] = await onPostgres(standby.url(), `SELECT pg_last_wal_replay_lsn() >= '${lsn}' AS done`)
      return done === true
    })
  await caughtUp()
  if (isSynchronous) await configure(primary, 'synchronous_standby_names', '*')
  return {
    ...standby,
    caughtUp,
    async lag() {
      await configure(standby, 'primary_conninfo', '')
      const receivers = () => onPostgres(standby.url(), 'SELECT pid FROM pg_stat_wal_receiver')
      await eventually(async () => (await receivers()).length === 0)
    },
    async promote() {
      await onPostgres(standby.url(), 'SELECT pg_promote()')
    },
  }
}

/** Copies the files of a stopped server, and makes the copy its standby. */
function copyAsStandby({ folder, port }: PostgresBackend, data: string): void {
  const from = join(folder, 'data')
  copied(from, data)
  const { uid, gid } = statSync(from)
  const primary = `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres password=${PG_PASSWORD}'\n`
  for (const [name, text] of Object.entries({ 'standby.signal': '', 'postgresql.auto.conf': primary })) {
    const file = join(data, name)
    rmSync(file, { force: true })
    writeFileSync(file, text, { mode: 0o600 })
    chownSync(file, uid, gid)
  }
}

/** Changes a setting of a running server. */
async function configure(server: PostgresBackend, name: string, value: string): Promise<void> {
  await onPostgres(server.url(), `ALTER SYSTEM SET ${name} = '${value}'`)
  await onPostgres(server.url(), 'SELECT pg_reload_conf()')
  await eventually(async () => Object.values((await onPostgres(server.url(), `SHOW ${name}`))[0] ?? {})[0] === value)
}
