import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { SignJWT } from 'jose'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseNonce } from '../../src/auth/nonce.js'
import { Tokens } from '../../src/auth/tokens.js'
import { openSqliteStore } from '../../src/state/sqlite.js'
import { freePort } from '../helpers/backends.js'
import { runCommand } from '../helpers/command.js'
import { eventually } from '../helpers/eventually.js'

const ALICE = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'
const BOB = '0xBE5449a6A97aD46c8558A3356267Ee5D2731ab5e'
const CAROL = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const KEY = `0x${'11'.repeat(32)}`
const sortKey = (text: string) => parseNonce(text, 10n ** 39n).sortKey
const now = Math.floor(Date.now() / 1000)

/** A token as the legacy service made it: an end and an address, signed with the text of its private key. */
const legacyToken = (address: string, exp = now + 3600) =>
  new SignJWT({ exp, address }).setProtectedHeader({ typ: 'JWT', alg: 'HS256' }).sign(Buffer.from(KEY))

const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('tidegate import', () => {
  let deleted: string
  let alive: string
  let expired: string
  beforeAll(async () => {
    deleted = await legacyToken(ALICE)
    alive = await legacyToken(BOB)
    expired = await legacyToken(BOB, now - 10)
  })

  const importInto = (state: string, ...source: string[]) =>
    runCommand(['import', ...source], {
      NETWORK_URL: 'http://127.0.0.1:1',
      PROVIDER_PRIVATE_KEY: KEY,
      STATE_DIR: join(folder, state),
    })

  /** What must hold after an import of `rows` and `deleted`. */
  const check = async (state: string) => {
    const store = openSqliteStore(join(folder, state))
    expect(await store.nonces.last(ALICE)).toBe(sortKey('1700000000.25'))
    expect(await store.nonces.last(BOB)).toBe(sortKey('42'))
    expect(await store.nonces.consume(ALICE, sortKey('1700000000.25'))).toBe(false)
    const tokens = new Tokens(Buffer.from('another secret, of this service'), store.revocations, KEY)
    await expect(tokens.verify(deleted)).rejects.toMatchObject({ code: 'TOKEN_DELETED' })
    // another spelling of the same signature
    await expect(tokens.verify(`${deleted}=`)).rejects.toMatchObject({ code: expect.stringMatching(/^TOKEN_/) })
    await expect(tokens.verify(expired)).rejects.toMatchObject({ code: 'TOKEN_EXPIRED' })
    expect(await tokens.verify(alive)).toMatchObject({ address: BOB, expiresAt: now + 3600 })
    const closed = new Tokens(Buffer.from('another secret, of this service'), store.revocations)
    await expect(closed.verify(alive)).rejects.toMatchObject({ code: 'TOKEN_INVALID' })
    await tokens.revoke(await tokens.verify(alive), now)
    await expect(tokens.verify(alive)).rejects.toMatchObject({ code: 'TOKEN_DELETED' })
    await store.close()
  }

  it('brings nonces and deleted tokens of the SQLite file over, again and again, and never lowers one', async () => {
    const file = join(folder, 'legacy.db')
    const db = new Database(file)
    db.exec('CREATE TABLE user_nonce (address VARCHAR(255) NOT NULL PRIMARY KEY, nonce VARCHAR(255) NOT NULL)')
    db.exec('CREATE TABLE revoked_tokens (token VARCHAR(255) NOT NULL PRIMARY KEY)')
    const add = db.prepare('INSERT INTO user_nonce VALUES (?, ?)')
    add.run(ALICE.toLowerCase(), '1700000000.25')
    add.run(BOB, '42')
    add.run(CAROL, '99999999999999999999')
    add.run('nobody', '7')
    add.run('0x0000000000000000000000000000000000000001', '1e9')
    db.prepare('INSERT INTO revoked_tokens VALUES (?)').run(deleted)
    db.close()
    const before = readFileSync(file)

    const first = await importInto('a', '--sqlite', file)
    expect(first.stdout).toBe(
      'nonces: 3 imported, 0 left, since they are not above the present ones\ndeleted tokens: 1\nnot understood: 2\n',
    )
    expect(first.stderr.split('\n').sort()).toEqual([
      '',
      `${CAROL}: its nonce lies further ahead than NONCE_MAX_AHEAD, so that no greater one is taken`,
      'not understood: 0x0000000000000000000000000000000000000001',
      'not understood: nobody',
    ])
    expect(first.status).toBe(1)
    expect((await importInto('a', '--sqlite', file)).stdout).toMatch(/^nonces: 0 imported, 3 left/)
    expect(readFileSync(file).equals(before)).toBe(true)
    await check('a')
  })

  it('says what is wrong with the file, and takes nothing', async () => {
    const text = join(folder, 'text.db')
    writeFileSync(text, 'not a database at all, but some text that is long enough to look at'.repeat(20))
    const empty = join(folder, 'empty.db')
    new Database(empty).exec('CREATE TABLE other (a)')
    for (const [args, words] of [
      [['--sqlite', join(folder, 'none.db')], 'is no file'],
      [['--sqlite', text], 'cannot be read as an SQLite database'],
      [['--sqlite', empty], 'has no table user_nonce'],
      [['--redis', 'http://x'], 'must be a redis:// URL'],
      [['--redis', 'redis://:hunter5@127.0.0.1:1'], 'the database cannot be used: ECONNREFUSED'],
      [[], 'import needs --sqlite or --redis'],
      [['--redis', 'redis://x', '--sqlite', text], 'import needs --sqlite or --redis'],
    ] as const) {
      const { status, stderr } = await importInto('b', ...args)
      expect(stderr, args.join(' ')).toContain(words)
      expect(stderr).not.toContain('hunter5')
      expect(status).toBe(2)
    }
  })

  const hasRedis = spawnSync('redis-server', ['--version']).status === 0
  if (!hasRedis) console.warn('SKIPPED: import from Redis. redis-server is not installed (Debian: redis-server).')
  it.skipIf(!hasRedis)('brings them over from Redis', async () => {
    const port = await freePort()
    const home = join(folder, 'redis')
    mkdirSync(home)
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', home, '--requirepass', 'pw']
    const server: ChildProcess = spawn('redis-server', options, { stdio: 'ignore' })
    const gone = once(server, 'exit')
    try {
      const url = (password: string) => `redis://:${password}@127.0.0.1:${port}/0`
      const client = new Redis(url('pw'), { retryStrategy: () => 20 })
      client.on('error', () => undefined)
      await eventually(async () => (await client.ping()) === 'PONG')
      const filler = Array.from({ length: 5000 }, (_, at) => [`cache:${at}`, 'x']).flat()
      await client.mset(...filler)
      await client.mset(ALICE, '1700000000.25', BOB.toLowerCase(), '42', `token//${deleted}`, 'True')
      client.disconnect()
      const wrong = await importInto('c', '--redis', url('hunter6'))
      expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('it refuses the user or the password') })
      expect(wrong.stderr).not.toContain('hunter6')
      expect(await importInto('c', '--redis', url('pw'))).toEqual({
        status: 0,
        stderr: '',
        stdout: 'nonces: 2 imported, 0 left, since they are not above the present ones\ndeleted tokens: 1\n',
      })
      await check('c')
    } finally {
      server.kill()
      await gone
    }
  })
})
