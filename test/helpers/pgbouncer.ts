import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './backends.js'
import { owned } from './children.js'
import { atEnd } from './cleanup.js'
import { eventually } from './eventually.js'
import { PG_PASSWORD, type PostgresBackend } from './postgres-server.js'

/** The uid of `nobody`, for tests that run as root. */
const NOBODY = 65534

/** Starts PgBouncer in front of a PostgreSQL server, with its own defaults and some settings. Returns its URL. */
export async function startPgBouncer(
  program: string,
  server: PostgresBackend,
  settings: { pool_mode: 'session' | 'transaction' | 'statement' } & Record<string, string | number>,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  chmodSync(folder, 0o777)
  const port = await freePort()
  const lines = Object.entries({
    ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '' },
    ...{ auth_type: 'scram-sha-256', auth_file: join(folder, 'users') },
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(join(folder, 'users'), `"postgres" "${PG_PASSWORD}"\n`, { mode: 0o644 })
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n* = host=127.0.0.1 port=${server.port}\n[pgbouncer]\n${lines.join('\n')}\n`,
    { mode: 0o644 },
  )
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const child = owned(spawn(program, [join(folder, 'pgbouncer.ini')], { stdio: ['ignore', 'ignore', 'pipe'], ...user }))
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk
  })
  const exited = once(child, 'exit')
  atEnd(async () => {
    child.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true })
  })
  const url = `postgres://postgres:${PG_PASSWORD}@127.0.0.1:${port}/postgres`
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer has ended: ${said}`)
    const client = new pg.Client({ connectionString: url })
    const isUp = await client.connect().then(
      () => true,
      () => false,
    )
    await client.end().catch(() => undefined)
    return isUp
  })
  return url
}
