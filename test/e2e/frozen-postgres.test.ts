import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DATABASE_LIMITS } from '../../packages/database/src/limits.js'
import { openPostgres } from '../../packages/database/src/postgres/postgres.js'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { newFolder } from '../helpers/cleanup.js'
import { eventually } from '../helpers/eventually.js'
import { onPostgres } from '../helpers/on-postgres.js'
import { type PostgresBackend, startPostgresServer } from '../helpers/postgres-server.js'
import { ask, createToken, freshNonce } from '../helpers/requests.js'
import { type Service, startHere } from '../helpers/service-here.js'
import { World } from '../helpers/world.js'
import { PostgresProxy } from './postgres-proxy.js'

const KEY = providerKey(`0x${'44'.repeat(32)}`)
/** Milliseconds within which an instance leads again. */
const AGAIN = 60_000
/** Looks at the chain take most of what instances need that wait for time-outs. */
const SELDOM = { INDEX_POLL_INTERVAL: '500' }

/** Instances whose connections to PostgreSQL are frozen, or closed by the server. */
describe('a service on a PostgreSQL', () => {
  let world: World
  let postgres: PostgresBackend
  let proxy: PostgresProxy
  let environment: Record<string, string>
  let instances: Service[] = []
  let admin: pg.Client
  const folder = newFolder()
  let at = 0

  beforeAll(async () => {
    ;[world, postgres] = await Promise.all([World.start(SELDOM), startPostgresServer()])
    admin = new pg.Client({ connectionString: postgres.url() })
    await admin.connect()
  })
  beforeEach(async () => {
    const name = `frozen_${++at}`
    await admin.query(`CREATE DATABASE ${name}`)
    proxy = await PostgresProxy.before(postgres.port)
    environment = world.beside({ DATABASE_URL: postgres.url(name), STATE_DIR: join(folder, name), ...SELDOM })
  })
  afterEach(async () => {
    proxy.close()
    await Promise.all(instances.map((instance) => instance.end()))
    instances = []
  })
  afterAll(() => admin.end())

  /** Starts an instance that connects through the proxy: in this process, where a failure that nothing handles fails the test. */
  const start = async () => {
    const instance = await startHere({ ...environment, DATABASE_URL: proxy.url(environment.DATABASE_URL as string) })
    instances.push(instance)
    return instance
  }
  /** Starts two instances; the first one leads, and connects through the proxy. */
  const two = async () => {
    const first = await start()
    const leases = () => onPostgres(environment.DATABASE_URL as string, 'SELECT task FROM leases')
    await eventually(async () => (await leases()).some(({ task }) => String(task).startsWith('index ')))
    const [{ pid }] = (await sessions()) as [{ pid: number }]
    const second = await startHere(environment)
    instances.push(second)
    await eventually(() => ready(second))
    const leads = () => second.said.filter(({ msg }) => msg?.includes('this instance leads')).length
    expect(leads()).toBe(0)
    return { first, second, leads, pid }
  }
  /** The database sessions that hold an instance's advisory lock. */
  const sessions = async () =>
    (
      await admin.query(
        `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 2
         AND database = (SELECT oid FROM pg_database WHERE datname = $1)`,
        [`frozen_${at}`],
      )
    ).rows
  const ready = async ({ url }: Service) => (await ask(`${url}/ready`)).status === 200
  /** Resolves once the index has read a new block, with any leader. */
  const goesOn = async () => {
    await world.rpc('anvil_mine', ['0x1'])
    const head = Number(await world.rpc('eth_blockNumber'))
    const client = new pg.Client({ connectionString: environment.DATABASE_URL })
    await client.connect()
    try {
      const block = async () => (await client.query('SELECT block FROM index_cursor')).rows[0]?.block
      // the old leader may have been in the middle of a transaction, whose locks the server keeps for half a minute
      await eventually(async () => Number(await block()) >= head, 2 * AGAIN, 100)
    } finally {
      await client.end()
    }
  }

  it('has another instance lead when the network between the leader and the server is cut (threat 79)', async () => {
    const { first, leads } = await two()
    proxy.frozen = true
    await eventually(() => leads() === 1, AGAIN)
    await goesOn()
    proxy.thaw()
    await eventually(() => ready(first))
    expect(leads()).toBe(1)
  })

  it('lets others write what a transaction has locked, if its client is cut off in the middle (threat 79)', async () => {
    await admin.query('CREATE TABLE IF NOT EXISTS locked AS SELECT 0 AS n')
    const { idleTransaction } = DATABASE_LIMITS.connections
    Object.assign(DATABASE_LIMITS.connections, { idleTransaction: 500 })
    const driver = await openPostgres({ tables: [] }, { url: proxy.url(postgres.url()), connections: 1, timeout: 1000 })
    const write = { text: 'UPDATE locked SET n = n + 1', values: [] }
    const cutOff = driver.transact(
      (function* () {
        yield write
        proxy.frozen = true
        yield write
      })(),
    )
    await expect(cutOff).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
    Object.assign(DATABASE_LIMITS.connections, { idleTransaction })
    expect((await admin.query(write.text)).rowCount).toBe(1)
    proxy.thaw()
    await driver.close()
  })

  it('continues, with either leader, when the session of the leader is stopped, and answers nothing worse than 503 while all sessions are terminated in a loop (threats 72 and 79)', async () => {
    const { first, second, pid } = await two()
    process.kill(pid, 'SIGSTOP')
    try {
      await goesOn()
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    const statuses = new Set<number>()
    for (let round = 0; round < 20; round++) {
      const asked = Array.from({ length: 8 }, () => createToken(second.url, KEY, freshNonce()))
      await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, [`frozen_${at}`])
      for (const { status } of await Promise.all(asked)) statuses.add(status)
    }
    expect([...statuses].filter((status) => ![200, 400, 503].includes(status))).toEqual([])
    await eventually(() => ready(second))
    expect((await createToken(second.url, KEY, freshNonce())).status).toBe(200)
    await eventually(() => ready(first))
  })

  it('keeps its leader, which reconnects, when one of its connections is frozen (threat 79)', async () => {
    const only = await start()
    await eventually(() => ready(only))
    expect(proxy.freezeOpen()).toBeGreaterThan(0)
    await goesOn()
  })

  it('survives the termination of every database session when it has just become ready (threat 72)', async () => {
    // a single connection, for which requests and the transactions of the index compete
    environment.DATABASE_CONNECTIONS = '1'
    const instance = await start()
    await eventually(() => ready(instance))
    proxy.cuts = 40
    await eventually(async () => {
      await world.rpc('anvil_mine', ['0x1'])
      const asked = Array.from({ length: 8 }, () => createToken(instance.url, KEY, freshNonce()))
      for (const { status } of await Promise.all(asked)) expect([200, 400, 503]).toContain(status)
      return proxy.cuts === 0
    })
    expect(proxy.cut).toBe(40)
    await goesOn()
    expect((await createToken(instance.url, KEY, freshNonce())).status).toBe(200)
  })
})
