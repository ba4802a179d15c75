import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Driver } from '../../packages/database/src/sql.js'
import { openPostgres } from '../../packages/provider/src/state/postgres.js'
import type { Place } from '../../packages/provider/src/state/transfer/place.js'
import { openSnapshot } from '../../packages/provider/src/state/transfer/snapshot.js'
import { owned } from './children.js'
import { program } from './command.js'
import { onPostgres } from './on-postgres.js'
import { prepared } from './prepared.js'

/** Complete settings whose node does not exist. */
export const SETTINGS_ALONE = {
  PROVIDER_PRIVATE_KEY: `0x${'44'.repeat(32)}`,
  NETWORK_URL: '{"1":"http://127.0.0.1:1"}',
}

const WRITER = fileURLToPath(new URL('nonce-writer.ts', import.meta.url))

/**
 * Starts a process that consumes nonces in sequence in a database, `pause` milliseconds apart. It sends each that was
 * accepted.
 */
export function forkNonceWriter(place: string, pause = 0): ChildProcess {
  const built = prepared('build', 'nonce-writer.mjs')
  return owned(
    fork(built ?? WRITER, [place, String(pause)], {
      execArgv: built === undefined ? ['--import', 'tsx'] : [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  )
}

/** The account of the writer. */
export const WRITER_ADDRESS = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'

/** A process that uses a database as a service does: it accepts nonces in sequence. */
export interface NonceWriter {
  /** The last nonce that it reported as accepted. */
  last(): string
  /** Kills it with -9. Every nonce that it reported was accepted before. */
  kill(): Promise<void>
}

/** Starts one on a database: the path of a file, or a URL of PostgreSQL. */
export async function startNonceWriter(place: string): Promise<NonceWriter> {
  // always a next one on its way, but no processor taken for thousands that show no more
  const child = forkNonceWriter(place, 2)
  let last = ''
  child.on('message', (nonce: string) => {
    last = nonce
  })
  await once(child, 'message')
  return {
    last: () => last,
    async kill() {
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** A command that is still running. */
export interface Running {
  child: ChildProcess
  output(): string
  /** Resolves with the exit code, or null if it was killed. */
  ended: Promise<number | null>
  kill(): Promise<void>
}

/** Starts `tidegate <args>` with nothing else in the environment. */
export function startCommand(args: string[], environment: Record<string, string> = {}): Running {
  const child = owned(
    spawn(process.execPath, [...program(), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH as string, ...environment },
    }),
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    child,
    output: () => output,
    ended,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Writes `count` nonces, each of another account. */
export async function fillNonces(db: Driver, count: number): Promise<void> {
  await db.session(async (run) => {
    for (let at = 0; at < count; at += 500) {
      const rows = Array.from({ length: Math.min(500, count - at) }, (_, row) => at + row)
      const values = rows.flatMap((row) => [
        `0x${row.toString(16).padStart(40, '0')}`,
        String(1_700_000_000_000 + row).padStart(40, '0'),
      ])
      await run({ text: `INSERT INTO nonces (address, nonce) VALUES ${rows.map(() => '(?, ?)').join(', ')}`, values })
    }
  })
}

/** The first column of the first row of a query on a database, which may be in use. */
export async function valueIn(place: Place, text: string): Promise<unknown> {
  const snapshot = await openSnapshot(place)
  try {
    return Object.values((await snapshot.run({ text, values: [] })).rows[0] ?? {})[0]
  } finally {
    await snapshot.close()
  }
}

/**
 * Copies one PostgreSQL database to another one by dump and restore: with the tools of PostgreSQL if they are as new as the
 * server, else row by row.
 */
export async function copyDump(from: string, to: string): Promise<void> {
  const dump = spawnSync('pg_dump', ['--dbname', from], { maxBuffer: 2 ** 30 })
  if (dump.status === 0) {
    const loaded = spawnSync('psql', ['--quiet', '--set=ON_ERROR_STOP=1', '--dbname', to], { input: dump.stdout })
    if (loaded.status !== 0) throw new Error(`psql failed: ${loaded.stderr}`)
    return
  }
  await (await openPostgres({ url: to, connections: 2, timeout: 60_000 })).close()
  for (const { name } of await onPostgres(
    from,
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  )) {
    const [{ rows } = {}] = await onPostgres(from, `SELECT coalesce(json_agg(t), '[]')::text AS rows FROM ${name} AS t`)
    await onPostgres(to, `DELETE FROM ${name}`)
    const quoted = `'${String(rows).replaceAll("'", "''")}'`
    await onPostgres(
      to,
      `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${name}, ${quoted})`,
    )
  }
}
