import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import pg from 'pg'
import { DATABASE_FILE } from '../../packages/database/src/sqlite/sqlite-file.js'
import { parseNonce } from '../../packages/provider/src/auth/nonces/nonce.js'
import { PostgresProxy } from '../../test/e2e/postgres-proxy.js'
import { eventually } from '../../test/helpers/eventually.js'
import { type Instance, startInstance } from '../../test/helpers/instance.js'
import { type PostgresBackend, startPostgresServer } from '../../test/helpers/postgres-server.js'
import { type Service, startHere } from '../../test/helpers/service-here.js'
import { get } from './lib/http.js'

/** Milliseconds for an instance to become ready; whether it ever does is checked afterwards. */
const READY = 30_000

export type DatabaseKind = 'embedded' | 'postgres'

/** Rows of either database. */
type Rows = Record<string, unknown>[]

/** The content of the index, without columns that depend on how it was read. */
const INDEX = [
  'SELECT chain_id, address, name, symbol, token_uri, owner, created FROM index_nft ORDER BY address',
  'SELECT chain_id, address, nft, name, symbol, orders FROM index_datatoken ORDER BY address',
  `SELECT did, chain_id, nft, state, ddo, reason, tx_id, block, sender, timestamp, encrypted
   FROM index_asset ORDER BY did`,
]

/** A slot for an instance, which stays the same across kills and restarts. */
export interface Seat {
  name: string
  instance: Instance
  /** Whether the instance should be running. */
  up: boolean
  /** Number of starts. */
  starts: number
  /** Whether faults of instances spare it, so that slow growth shows. */
  lasting?: boolean
}

/** Several instances of the built service on one database. */
export class Deployment {
  readonly seats: Seat[] = []
  /** What fills a database that has no instances. */
  private filling: Service | undefined

  private constructor(
    readonly kind: DatabaseKind,
    readonly folder: string,
    public postgres: PostgresBackend | undefined,
    /** The address of PostgreSQL for the instances. */
    private readonly proxy: PostgresProxy | undefined,
    private readonly environment: NodeJS.ProcessEnv,
    private readonly program: readonly string[],
    private readonly onLine?: (line: string) => void,
  ) {}

  static async start(
    kind: DatabaseKind,
    instances: number,
    environment: NodeJS.ProcessEnv,
    program: readonly string[],
    onLine?: (line: string) => void,
  ): Promise<Deployment> {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-torture-'))
    const postgres = kind === 'postgres' ? await startPostgresServer() : undefined
    const proxy = postgres && (await PostgresProxy.before(postgres.port))
    const own = { STATE_DIR: folder, ...(proxy ? { DATABASE_URL: proxy.url(postgres.url()) } : {}) }
    const deployment = new Deployment(kind, folder, postgres, proxy, { ...environment, ...own }, program, onLine)
    // kill the instances however this process exits: PostgreSQL's own hook may end it on a signal
    process.on('exit', deployment.onExit)
    const starting = Array.from({ length: instances }, () => deployment.launch())
    for (const [at, instance] of (await Promise.all(starting)).entries())
      deployment.seats.push({ name: `${kind}-${at}`, instance, up: true, starts: 1 })
    return deployment
  }

  /** An embedded database that a service in this process fills: nobody asks that one, and a process takes longer to start. */
  static async here(environment: NodeJS.ProcessEnv): Promise<Deployment> {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-torture-'))
    const deployment = new Deployment('embedded', folder, undefined, undefined, environment, [])
    deployment.filling = await startHere({ ...environment, STATE_DIR: folder })
    return deployment
  }

  get databaseFile(): string {
    return join(this.folder, DATABASE_FILE)
  }

  /** Stops an instance with a signal. */
  async stop(seat: Seat, signal: NodeJS.Signals): Promise<void> {
    seat.up = false
    await seat.instance.end(signal)
  }

  /** Starts an instance again. Consumers use it when it is ready, as behind a load balancer. */
  async restart(seat: Seat): Promise<void> {
    seat.instance = await this.launch()
    const { url } = seat.instance
    await eventually(async () => (await get(`${url}/ready`)).status === 200, READY, 50).catch(() => undefined)
    seat.starts += 1
    seat.up = true
  }

  /** Makes the address of PostgreSQL lead to another server. */
  async moveTo(postgres: PostgresBackend): Promise<void> {
    const former = this.postgres
    this.postgres = postgres
    if (this.proxy) this.proxy.port = postgres.port
    await former?.close()
  }

  /** Returns the rows of the index as text, comparable between databases. */
  async index(): Promise<string[]> {
    const tables = []
    for (const text of INDEX) tables.push(await this.rows(text))
    return tables.flat().map((row) => JSON.stringify(Object.values(row).map(String)))
  }

  /** Returns the last block that the index has read; -1 if none. */
  async cursor(): Promise<number> {
    const [row] = await this.rows('SELECT block FROM index_cursor')
    return Number(row?.block ?? -1)
  }

  /** Returns the accounts whose stored nonce is below an accepted one. */
  async lostNonces(highest: [address: string, nonce: bigint][]): Promise<string[]> {
    const rows = await this.rows('SELECT address, nonce FROM nonces')
    const stored = new Map(rows.map(({ address, nonce }) => [address, nonce as string]))
    return highest.flatMap(([address, nonce]) => {
      const { sortKey } = parseNonce(String(nonce), 10n ** 39n)
      return (stored.get(address) ?? '') >= sortKey ? [] : [address]
    })
  }

  /** Runs a statement on its PostgreSQL. */
  async statement(text: string): Promise<Rows> {
    const client = new pg.Client({ connectionString: this.postgres?.url(), connectionTimeoutMillis: 5000 })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  private readonly onExit = () => {
    for (const { instance } of this.seats) instance.process.kill('SIGKILL')
  }

  async close(): Promise<void> {
    process.off('exit', this.onExit)
    await Promise.all(
      this.seats.map(async ({ instance: { process: child } }) => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const exited = once(child, 'exit')
        child.kill('SIGCONT')
        child.kill('SIGKILL')
        await exited
      }),
    )
    await this.filling?.end()
    this.proxy?.close()
    await this.postgres?.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  private launch(): Promise<Instance> {
    return startInstance(this.environment, this.program, this.onLine ? { onLine: this.onLine } : {})
  }

  /** Returns the rows of a query on either database. */
  async rows(text: string): Promise<Rows> {
    if (this.postgres) return this.statement(text)
    const db = new Database(this.databaseFile, { timeout: 5000 })
    try {
      return db.prepare(text).all() as Rows
    } finally {
      db.close()
    }
  }
}
