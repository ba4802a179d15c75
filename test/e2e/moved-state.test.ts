import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { providerKey } from '../../src/crypto/keys.js'
import { openPostgresStore } from '../../src/state/postgres.js'
import { openSqliteStore } from '../../src/state/sqlite.js'
import type { StateStore } from '../../src/state/store.js'
import { type PostgresBackend, startPostgres } from '../helpers/backends.js'
import { build } from '../helpers/built.js'
import { runCommand } from '../helpers/command.js'
import { eventually } from '../helpers/eventually.js'
import { type Instance, startInstance } from '../helpers/instance.js'
import { ask, createToken, deleteToken, freshNonce } from '../helpers/requests.js'
import { World } from '../helpers/world.js'

const KEY = providerKey(`0x${'44'.repeat(32)}`)
const address = (at: number) => `0x${String(at).padStart(40, '0')}` as const

/** A service that goes from one kind of database to the other. */
describe('the state of a service', () => {
  let world: World
  let postgres: PostgresBackend
  let cli: string
  let instance: Instance | undefined
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))

  beforeAll(async () => {
    cli = build(join(folder, 'built'))
    ;[world, postgres] = await Promise.all([World.start(), startPostgres()])
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
  /** The two databases of one installation, by its name. */
  async function installation(name: string) {
    await query('postgres', `CREATE DATABASE ${name}`)
    const embedded = world.beside({ STATE_DIR: join(folder, name) })
    return { embedded, both: { ...embedded, DATABASE_URL: postgres.url(name) } }
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
    instance = await startInstance(environment, [cli])
  }
  const run = (environment: Record<string, string>, ...args: string[]) => runCommand(args, environment, '', [cli])
  const consume = async (nonce = freshNonce()) => createToken(instance?.url as string, KEY, nonce)

  // a dozen starts, one after the other
  it('goes to PostgreSQL and back, and no signed request passes again (threat 66)', { timeout: 180_000 }, async () => {
    const { embedded, both } = await installation('there_and_back')
    await start(embedded)
    const [first, second] = [freshNonce(), freshNonce()]
    const { json } = await consume(first)
    const deleted = (await consume(second)).json.token as string
    expect((await deleteToken(instance?.url as string, KEY, deleted)).status).toBe(200)
    const used = await run(both, 'move-state', '--to', 'postgres')
    expect(used).toMatchObject({ status: 2, stderr: expect.stringContaining('it is in use: stop the service') })
    await stop()

    const starts = [both, { ...both, WORKERS: '2' }].map((environment) => run(environment, 'start'))
    for (const refused of await Promise.all(starts)) {
      expect(refused.status).toBe(2)
      expect(refused.stderr).toMatch(/^tidegate: DATABASE_URL: .*`tidegate move-state`.*ALLOW_STATE_LOSS=true/)
    }
    expect((await run(both, 'doctor')).stdout).toMatch(/^FAIL {2}DATABASE_URL: .*move-state/m)

    const moved = await run(both, 'move-state', '--to', 'postgres')
    expect(moved).toMatchObject({ status: 0, stderr: '' })
    expect(moved.stdout).toMatch(/^nonces: 1 moved\nrevoked tokens: 1 moved\n/)
    expect((await run(both, 'move-state', '--to', 'postgres')).stdout).toMatch(/^it was moved already\n/)

    await start({ ...both, WORKERS: '2' })
    for (const nonce of [first, second]) expect((await consume(nonce)).status).toBe(400)
    expect((await deleteToken(instance?.url as string, KEY, deleted)).json.error).toBe('Token is deleted.')
    expect((await deleteToken(instance?.url as string, KEY, json.token as string)).status).toBe(200)
    const third = freshNonce()
    expect((await consume(third)).status).toBe(200)
    await stop()

    const back = await run(embedded, 'start')
    expect(back.status).toBe(2)
    expect(back.stderr).toMatch(
      /^tidegate: STATE_DIR: the state of this installation was moved to PostgreSQL.*move-state/,
    )
    expect((await run(both, 'move-state', '--to', 'embedded')).stdout).toMatch(/^nonces: 1 moved\n/)
    await start(embedded)
    for (const nonce of [first, second, third]) expect((await consume(nonce)).status).toBe(400)
    expect((await consume()).status).toBe(200)
    await stop()
    expect((await run(both, 'start')).stderr).toContain('was moved to another one')
  })

  it('is refused to begin anew beside a PostgreSQL that was in use, but where the operator allows it (threat 66)', async () => {
    const { embedded, both } = await installation('postgres_first')
    await start(both)
    const nonce = freshNonce()
    expect((await consume(nonce)).status).toBe(200)
    await stop()
    const other = await installation('another')
    const [refused, wrong] = await Promise.all([
      run(embedded, 'start'),
      run({ ...both, DATABASE_URL: other.both.DATABASE_URL }, 'start'),
    ])
    expect(refused.status).toBe(2)
    expect(refused.stderr).toMatch(/is in PostgreSQL.*move-state.*ALLOW_STATE_LOSS/)
    expect(wrong.stderr).toMatch(/is in another PostgreSQL database/)
    await start(both)
    expect((await consume(nonce)).status).toBe(400)
    await start({ ...embedded, ALLOW_STATE_LOSS: 'true' })
    expect((await consume(nonce)).status).toBe(200)
    await start(embedded)
    expect((await consume(nonce)).status).toBe(400)
  })

  it('starts on an empty PostgreSQL where nothing was used before, and where no folder can be written (threat 66, control)', async () => {
    const { embedded, both } = await installation('fresh')
    await start(embedded)
    await start(both)
    expect((await consume()).status).toBe(200)
    await start({ ...both, STATE_DIR: join(cli, 'none') })
    expect((await consume()).status).toBe(200)
    await eventually(() => instance?.lines.some((line) => line.includes('takes no note')))
  })

  it('comes over with every table, each whole or not at all, and again after a failure (threat 66)', async () => {
    const { embedded, both } = await installation('tables')
    await fill(openSqliteStore(embedded.STATE_DIR as string))
    await (await openPostgresStore({ url: both.DATABASE_URL, connections: 2, timeout: 5000 })).close()
    await query('tables', `ALTER TABLE nonces ADD CONSTRAINT refuse CHECK (address <> '${address(111)}')`)
    const failed = await run({ ...both, LOG_LEVEL: 'error' }, 'move-state', '--to', 'postgres')
    expect(failed).toMatchObject({
      status: 2,
      stderr: 'tidegate: the embedded database: the target does not take its nonces.\n',
    })
    expect(await query('tables', 'SELECT * FROM nonces')).toEqual([])
    await start(embedded)
    await stop()
    await query('tables', 'ALTER TABLE nonces DROP CONSTRAINT refuse')
    await query('tables', `INSERT INTO nonces VALUES ('${address(5)}', '999999'), ('${address(6)}', '000001')`)
    const moved = await run(both, 'move-state', '--to', 'postgres')
    expect(moved).toMatchObject({ status: 0, stderr: '' })
    expect(moved.stdout.split('\n')).toEqual([
      'nonces: 119 moved, 1 left, since what is there is not older',
      'revoked tokens: 1 moved',
      'proofs that wait: 1 moved',
      'proofs that were made: 2 moved',
      // not older where both were made in the same second
      expect.stringMatching(/^moments from which rules hold: (1 moved|0 moved, 1 left)/),
      'counters of use: 1 moved',
      expect.stringMatching(/^rows of the index: [1-9]\d* moved$/),
      'the state is in PostgreSQL now: start with DATABASE_URL as it is set now',
      '',
    ])
    const store = await openPostgresStore({ url: both.DATABASE_URL, connections: 2, timeout: 5000 })
    expect(await store.nonces.last(address(5))).toBe('999999')
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

  it('in a PostgreSQL that is away is told as such by log, /ready and doctor, without its password (threat 85)', async () => {
    const { both } = await installation('away')
    await start(both)
    await eventually(async () => (await ask(`${instance?.url}/ready`)).status === 200)
    await query('postgres', `ALTER DATABASE away ALLOW_CONNECTIONS false`)
    await query('postgres', `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'away'`)
    await eventually(async () => (await consume()).status === 503)
    expect((await ask(`${instance?.url}/ready`)).json).toMatchObject({ ready: false, store: false })
    await eventually(() => instance?.lines.some((line) => line.includes('state store failed')))
    const said = [...(instance as Instance).lines, (await run(both, 'doctor')).stdout].join('\n')
    expect(said).toMatch(/FAIL {2}DATABASE_URL: the database cannot be used: it .* \(\w+\)/)
    expect(said).not.toContain('secret')
    await query('postgres', `ALTER DATABASE away ALLOW_CONNECTIONS true`)
    await eventually(async () => (await ask(`${instance?.url}/ready`)).status === 200)
    expect((await consume()).status).toBe(200)
  })
})

async function fill(store: StateStore): Promise<void> {
  for (let at = 0; at < 120; at++) await store.nonces.consume(address(at), '000100')
  await store.revocations.revoke('jti', 1000)
  expect(await store.proofs.addOnce('subject', 0, { id: 'proof', kind: 'http', body: '{}' }, 1)).toBe('added')
  await store.proofs.noteTransaction('proof', '0xaa')
  await store.usage.add('somebody', 7, 1000, 0)
  const nft = { address: address(1), name: 'ü', symbol: 's', tokenUri: '', owner: address(2), created: '' }
  await store.index.commit({ chainId: 1, from: undefined, to: { block: 8, hash: '0x8' }, changes: [], keepSince: 0 })
  const step = { chainId: 1, from: { block: 8, hash: '0x8' }, to: { block: 9, hash: '0x9' } } as const
  await store.index.commit({ ...step, changes: [{ kind: 'nft', nft }], keepSince: 0 })
  await store.close()
}
