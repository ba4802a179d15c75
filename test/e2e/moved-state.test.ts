import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { DATABASE_FILE } from '../../packages/database/src/sqlite/sqlite-file.js'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { openPostgresStore } from '../../packages/provider/src/state/postgres.js'
import { openSqliteStore } from '../../packages/provider/src/state/sqlite.js'
import type { StateStore } from '../../packages/provider/src/state/stores.js'
import { openHere, runHere } from '../helpers/command-here.js'
import { eventually } from '../helpers/eventually.js'
import { type Instance, startInstance } from '../helpers/instance.js'
import { type PostgresDatabase, startPostgres } from '../helpers/postgres-database.js'
import { ask, createToken, deleteToken, freshNonce } from '../helpers/requests.js'
import { type Service, startHere } from '../helpers/service-here.js'
import { copyDump } from '../helpers/states.js'
import { World } from '../helpers/world.js'

const TO_POSTGRES = ['state', 'copy', '--from', 'sqlite', '--to', 'postgres']
const TO_SQLITE = ['state', 'copy', '--from', 'postgres', '--to', 'sqlite']
const KEY = providerKey(`0x${'44'.repeat(32)}`)
const address = (at: number) => `0x${String(at).padStart(40, '0')}` as const

/** A service that moves between the two kinds of database. */
describe('the state of a service', () => {
  let world: World
  let postgres: PostgresDatabase
  let instance: Service | undefined
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))

  beforeAll(async () => {
    ;[world, postgres] = await Promise.all([World.start(), startPostgres()])
    // the snapshot of the chain may be old, and then doctor waits for a block
    await world.rpc('evm_mine')
  })
  afterEach(stop)
  afterAll(async () => {
    await postgres.close()
    await world.close()
    rmSync(folder, { recursive: true })
  })

  async function stop(): Promise<void> {
    await instance?.end()
    instance = undefined
  }
  /** The two databases of an installation, named after it. */
  async function installation(name: string) {
    const database = await postgres.another()
    const embedded = world.beside({ STATE_DIR: join(folder, name) })
    return { embedded, database, both: { ...embedded, DATABASE_URL: postgres.url(database) } }
  }
  async function query(database: string, text: string) {
    const client = new pg.Client({ connectionString: postgres.url(database) })
    await client.connect()
    const { rows } = await client.query(text)
    await client.end()
    return rows as Record<string, unknown>[]
  }
  const start = async (environment: Record<string, string>) => {
    await stop()
    const started = await startHere(environment)
    instance = started
    return started
  }
  /** For what only a process of its own has: workers, and what is said before all is built. */
  const startAlone = async (environment: Record<string, string>): Promise<Instance> => {
    await stop()
    const started = await startInstance(environment)
    instance = started
    return started
  }
  const run = (environment: Record<string, string>, ...args: string[]) => runHere(args, environment)
  const consume = async (nonce = freshNonce()) => createToken(instance?.url as string, KEY, nonce)

  it('can be moved to PostgreSQL and back, without accepting any signed request twice (threat 66)', async () => {
    const { embedded, both } = await installation('there_and_back')
    await start(embedded)
    const [first, second] = [freshNonce(), freshNonce()]
    const { json } = await consume(first)
    const deleted = (await consume(second)).json.token as string
    expect((await deleteToken(instance?.url as string, KEY, deleted)).status).toBe(200)
    const used = await run(both, ...TO_POSTGRES)
    expect(used).toMatchObject({ status: 2, stderr: expect.stringContaining('it is in use: stop the service') })
    await stop()

    const refused = await openHere(both)
    expect(refused.status).toBe(2)
    expect(refused.stderr).toMatch(/^tidegate: DATABASE_URL: .*`tidegate state copy`.*ALLOW_STATE_LOSS=true/)
    expect((await run(both, 'doctor')).stdout).toMatch(/^FAIL {2}DATABASE_URL: .*state copy/m)

    const moved = await run(both, ...TO_POSTGRES)
    expect(moved).toMatchObject({ status: 0, stderr: '' })
    expect(moved.stdout).toMatch(/^nonces: 1 rows\n[\s\S]*^revocations: 1 rows$/m)
    expect((await run(both, ...TO_POSTGRES)).stdout).toMatch(/^it was copied already\n/)

    await startAlone({ ...both, WORKERS: '2' })
    for (const nonce of [first, second]) expect((await consume(nonce)).status).toBe(400)
    expect((await deleteToken(instance?.url as string, KEY, deleted)).json.error).toBe('Token is deleted.')
    expect((await deleteToken(instance?.url as string, KEY, json.token as string)).status).toBe(200)
    const third = freshNonce()
    expect((await consume(third)).status).toBe(200)
    await stop()

    const back = await openHere(embedded)
    expect(back.status).toBe(2)
    expect(back.stderr).toMatch(
      /^tidegate: STATE_DIR: the state of this installation was moved to PostgreSQL.*state copy/,
    )
    expect((await run(both, ...TO_SQLITE)).stdout).toMatch(/^nonces: 1 rows\n/m)
    await start(embedded)
    for (const nonce of [first, second, third]) expect((await consume(nonce)).status).toBe(400)
    expect((await consume()).status).toBe(200)
    await stop()
    expect((await openHere(both)).stderr).toContain('was moved to another one')
  })

  it('cannot start empty in SQLite after PostgreSQL was in use, unless the operator allows it (threat 66)', async () => {
    const { embedded, both } = await installation('postgres_first')
    await start(both)
    const nonce = freshNonce()
    expect((await consume(nonce)).status).toBe(200)
    await stop()
    const other = await installation('another')
    const [refused, wrong] = await Promise.all([
      openHere(embedded),
      openHere({ ...both, DATABASE_URL: other.both.DATABASE_URL as string }),
    ])
    expect(refused.status).toBe(2)
    expect(refused.stderr).toMatch(/is in PostgreSQL.*state copy.*ALLOW_STATE_LOSS/)
    expect(wrong.stderr).toMatch(/is in another PostgreSQL database/)
    await start(both)
    expect((await consume(nonce)).status).toBe(400)
    await start({ ...embedded, ALLOW_STATE_LOSS: 'true' })
    expect((await consume(nonce)).status).toBe(200)
    await start(embedded)
    expect((await consume(nonce)).status).toBe(400)
  })

  it('starts on an empty PostgreSQL when nothing was used before, also without a writable folder (threat 66, control)', async () => {
    const { embedded, both } = await installation('fresh')
    await start(embedded)
    await start(both)
    expect((await consume()).status).toBe(200)
    const { lines } = await startAlone({ ...both, STATE_DIR: join(process.execPath, 'none') })
    expect((await consume()).status).toBe(200)
    await eventually(() => lines.some((line) => line.includes('cannot record which database')))
  })

  it('is copied completely by a second run after a failure, and cannot be used before that (threat 66)', async () => {
    const { embedded, both, database } = await installation('tables')
    await fill(openSqliteStore(embedded.STATE_DIR as string))
    await (await openPostgresStore({ url: both.DATABASE_URL, connections: 2, timeout: 60_000 })).close()
    await query(database, `ALTER TABLE nonces ADD CONSTRAINT refuse CHECK (address <> '${address(111)}')`)
    expect(await run(both, ...TO_POSTGRES)).toMatchObject({
      status: 2,
      stderr: 'tidegate: the destination does not take a row of the table nonces.\n',
    })
    // not even with a folder that knows of no other state
    const unfinished = await openHere({ ...both, STATE_DIR: join(folder, 'unused') })
    expect(unfinished).toMatchObject({ status: 2, stderr: expect.stringContaining('holds an unfinished copy') })
    await start(embedded)
    await stop()
    await query(database, 'ALTER TABLE nonces DROP CONSTRAINT refuse')
    const moved = await run(both, ...TO_POSTGRES)
    expect(moved).toMatchObject({ status: 0, stderr: '' })
    expect(moved.stdout).toMatch(/^nonces: 120 rows \(/m)
    const store = await openPostgresStore({ url: both.DATABASE_URL, connections: 2, timeout: 60_000 })
    expect(await store.nonces.last(address(6))).toBe('000100')
    expect(await store.revocations.isRevoked('jti')).toBe(true)
    expect(await store.proofs.claim(2000, 3000, 10)).toMatchObject([{ id: 'proof', body: '{}', txId: '0xaa' }])
    expect(await store.usage.used('somebody', 1000, 1)).toMatchObject({ used: 7 })
    expect(await store.index.cursor(1)).toEqual({ block: 9, hash: '0x9' })
    expect(await store.index.nft(1, address(1))).toMatchObject({ name: 'ü' })
    await store.index.rollback(1, { block: 8, hash: '0x8' })
    expect(await store.index.nft(1, address(1))).toBeUndefined()
    await store.close()
  })

  it('is restored from a backup of the running service, and accepts nothing older (threats 8, 66)', async () => {
    const { embedded } = await installation('restored')
    const file = join(folder, 'embedded.backup')
    await start(embedded)
    const before = freshNonce()
    expect((await consume(before)).status).toBe(200)
    expect(await run(embedded, 'state', 'backup', file)).toMatchObject({ status: 0, stderr: '' })
    const after = freshNonce()
    expect((await consume(after)).status).toBe(200)
    expect(await run(embedded, 'state', 'restore', file)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('it is in use: stop the service'),
    })
    await stop()
    // the database is lost, but the folder still records that there was one
    rmSync(join(embedded.STATE_DIR as string, DATABASE_FILE))
    const lost = await openHere(embedded)
    expect(lost).toMatchObject({ status: 2, stderr: expect.stringMatching(/tidegate state (restore|copy)/) })
    expect(await run(embedded, 'state', 'restore', file)).toMatchObject({ status: 0, stderr: '' })
    await acceptsNothingOlder(embedded, [before, after])
  })

  it('is restored from a dump of PostgreSQL, and accepts nothing older (threats 8, 66)', async () => {
    const { both, database } = await installation('dumped')
    await start(both)
    const before = freshNonce()
    expect((await consume(before)).status).toBe(200)
    const dump = await postgres.another()
    await copyDump(both.DATABASE_URL, postgres.url(dump))
    const after = freshNonce()
    expect((await consume(after)).status).toBe(200)
    await stop()
    await query('postgres', `ALTER DATABASE ${database} RENAME TO ${database}_lost`)
    await query('postgres', `ALTER DATABASE ${dump} RENAME TO ${database}`)
    const refused = await openHere(both)
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('run `tidegate state restored` once') })
    expect(await run(both, 'state', 'restored')).toMatchObject({ status: 0, stderr: '' })
    await acceptsNothingOlder(both, [before, after])
  })

  async function acceptsNothingOlder(environment: Record<string, string>, nonces: string[]): Promise<void> {
    await start(environment)
    for (const nonce of nonces) expect((await consume(nonce)).status).toBe(400)
    expect((await consume()).status).toBe(200)
    expect(await run(environment, 'state', 'check')).toMatchObject({ status: 0, stderr: '' })
  }

  it('is reported by log, /ready and doctor when PostgreSQL is unreachable, without its password (threat 85)', async () => {
    const { both, database } = await installation('away')
    const { said: logged } = await start(both)
    await eventually(async () => (await ask(`${instance?.url}/ready`)).status === 200)
    await query('postgres', `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`)
    await query('postgres', `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`)
    await eventually(async () => (await consume()).status === 503)
    expect((await ask(`${instance?.url}/ready`)).json).toMatchObject({ ready: false, store: false })
    await eventually(() => logged.some(({ msg }) => msg === 'state store failed'))
    const said = [JSON.stringify(logged), (await run(both, 'doctor')).stdout].join('\n')
    expect(said).toMatch(/FAIL {2}DATABASE_URL: the database \S+ at \S+ as user postgres cannot be used: .* \(\w+\)/)
    expect(said).not.toContain('secret')
    await query('postgres', `ALTER DATABASE ${database} ALLOW_CONNECTIONS true`)
    await eventually(async () => (await ask(`${instance?.url}/ready`)).status === 200)
    expect((await consume()).status).toBe(200)
  })
})

async function fill(store: StateStore): Promise<void> {
  for (let at = 0; at < 120; at++) await store.nonces.consume(address(at), '000100')
  await store.revocations.revoke('jti', 1000)
  expect(await store.proofs.addOnce('subject', 0, { id: 'proof', kind: 'http', body: '{}' }, 1)).toBe('added')
  await store.proofs.recordTransaction('proof', '0xaa')
  await store.usage.add('somebody', 7, 1000, 0)
  const sold = { chainId: 1, did: 'did:op:a', nft: address(1), service: 's', consumer: address(2), at: Date.now() }
  const tx = `0x${'a'.repeat(64)}` as const
  await store.deliveries.add(
    [{ ...sold, id: 1, file: 0, orderTx: tx, bytes: 5, complete: true }],
    [{ ...sold, txId: tx, datatoken: address(3), position: 0, token: address(4), amount: 2n ** 255n }],
  )
  const nft = { address: address(1), name: 'ü', symbol: 's', tokenUri: '', owner: address(2), created: '' }
  await store.index.commit({
    chainId: 1,
    from: undefined,
    to: { block: 8, hash: '0x8' },
    changes: [],
    provisional: true,
  })
  const step = { chainId: 1, from: { block: 8, hash: '0x8' }, to: { block: 9, hash: '0x9' } } as const
  await store.index.commit({ ...step, changes: [{ kind: 'nft', nft }], provisional: true })
  await store.close()
}
