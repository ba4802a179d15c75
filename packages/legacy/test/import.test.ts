import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { SignJWT } from 'jose'
import Database from 'libsql'
import { getAddress } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../test/helpers/backends.js'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { runHere } from '../../../test/helpers/command-here.js'
import { eventually } from '../../../test/helpers/eventually.js'
import { parseNonce } from '../../provider/src/auth/nonces/nonce.js'
import { Tokens } from '../../provider/src/auth/tokens.js'
import { openSqliteStore } from '../../provider/src/state/sqlite.js'
import { FALSE, pickled, startSmallRedis, TRUE } from './small-redis.js'

const ALICE = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'
const BOB = '0xBE5449a6A97aD46c8558A3356267Ee5D2731ab5e'
const CAROL = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const KEY = `0x${'11'.repeat(32)}`
const DAVE = getAddress(`0x${'d'.repeat(40)}`)
const ERIN = getAddress(`0x${'e'.repeat(40)}`)
const sortKey = (text: string) => parseNonce(text, 10n ** 39n).sortKey
const now = Math.floor(Date.now() / 1000)

/** A token as the legacy service issues it: expiration and address, signed with the text of a private key. */
const legacyToken = (address: string, exp = now + 3600) =>
  new SignJWT({ exp, address }).setProtectedHeader({ typ: 'JWT', alg: 'HS256' }).sign(Buffer.from(KEY))

const folder = newFolder()

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
    runHere(['import', ...source], {
      NETWORK_URL: 'http://127.0.0.1:1',
      PROVIDER_PRIVATE_KEY: KEY,
      STATE_DIR: join(folder, state),
    })

  /** Asserts the state after an import of `rows` and `deleted`. */
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

  /** Creates the SQLite file of a legacy service with these rows. */
  function legacyFile(name: string, nonces: [address: string, nonce: string | number][], tokens: string[] = []) {
    const file = join(folder, name)
    const db = new Database(file)
    db.exec('CREATE TABLE user_nonce (address VARCHAR(255) NOT NULL PRIMARY KEY, nonce VARCHAR(255) NOT NULL)')
    db.exec('CREATE TABLE revoked_tokens (token VARCHAR(255) NOT NULL PRIMARY KEY)')
    for (const row of nonces) db.prepare('INSERT INTO user_nonce VALUES (?, ?)').run(...row)
    for (const token of tokens) db.prepare('INSERT INTO revoked_tokens VALUES (?)').run(token)
    db.close()
    return file
  }
  const CUT_OVER = '2025-11-21T20:00:00.000Z'
  const CUT_OVER_LINE = `cut-over: ${CUT_OVER}; nonces that can be read as an earlier time are refused\n`
  const lines = (text: string) => text.split('\n').filter(Boolean).sort()

  it('imports nonces and deleted tokens of a SQLite file, repeatedly, without lowering any', async () => {
    const rows: [string, string | number][] = [
      // one row for each spelling of an address: the greatest nonce counts
      [ALICE.toLowerCase(), '1700000000.25'],
      [ALICE, '1690000000'],
      [`0X${ALICE.slice(2).toUpperCase()}`, '1699999999.999'],
      [BOB, '42'],
      [CAROL, '99999999999999999999'],
      // valid numbers in Python
      [DAVE, '1e13'],
      [ERIN, 1763756970.25],
    ]
    const file = legacyFile('legacy.db', rows, [deleted])
    const before = readFileSync(file)

    const first = await importInto('a', '--sqlite', file, '--cut-over', CUT_OVER)
    expect(first.stdout).toMatch(/^nonces: [5-7] imported, [0-2] unchanged, since the current ones are not lower\n/)
    expect(first.stdout.slice(first.stdout.indexOf('\n') + 1)).toBe(`deleted tokens: 1\n${CUT_OVER_LINE}`)
    expect(first.stderr).toBe(
      `${CAROL}: its nonce lies further ahead than NONCE_MAX_AHEAD, so that no greater one is accepted\n`,
    )
    expect(first.status).toBe(0)
    const again = await importInto('a', '--sqlite', file, '--cut-over', '2025-11-21T20:00:00+01:00')
    expect(again.stdout).toMatch(/^nonces: 0 imported, 7 unchanged/)
    // an earlier import does not lower the cut-over time
    expect(again.stdout).toContain(CUT_OVER_LINE)
    expect(readFileSync(file).equals(before)).toBe(true)
    await check('a')
    const store = openSqliteStore(join(folder, 'a'))
    expect(await store.nonces.last(DAVE)).toBe(sortKey('10000000000000'))
    expect(await store.nonces.last(ERIN)).toBe(sortKey('1763756970.25'))
    await store.close()
  })

  it('lists and counts what it skips, and fails only if that could allow a replay', async () => {
    const harmless: [string, string][] = [
      ['foo|1', '7'],
      ['\u001b[2J', '7'],
      [ALICE.slice(2), '7'],
      [ALICE, '-5'],
      [BOB, '0'],
    ]
    const left = await importInto('d', '--sqlite', legacyFile('left.db', harmless, ['no token']))
    expect(lines(left.stderr)).toEqual(
      [
        `skipped: "${ALICE.slice(2)}" is not an address`,
        'skipped: "\\u001b[2J" is not an address',
        'skipped: "foo|1" is not an address',
        'skipped: a deleted token of 8 characters is not a token',
        `skipped: the nonce of ${BOB}, "0", is not greater than zero`,
        `skipped: the nonce of ${ALICE}, "-5", is not greater than zero`,
      ].sort(),
    )
    expect(left.stdout).toMatch(
      /^nonces: 0 imported, 0 unchanged, .+\ndeleted tokens: 0\nskipped, since they cannot allow a replay: 6\ncut-over: /,
    )
    expect(left.status).toBe(0)

    const rows: [string, string][] = [
      [ALICE, 'inf'],
      [BOB, 'nan'],
      [CAROL, 'x'.repeat(5000)],
      [DAVE, '5'],
    ]
    const odd = await importInto('d', '--sqlite', legacyFile('odd.db', rows))
    const why = 'which nonces that account has used is unknown'
    expect(lines(odd.stderr)).toEqual(
      [
        `unreadable: the nonce of ${CAROL}, "${'x'.repeat(80)}…": ${why}`,
        `unreadable: the nonce of ${BOB}, "nan": ${why}`,
        `unreadable: the nonce of ${ALICE}, "inf": ${why}`,
      ].sort(),
    )
    expect(odd.stdout).toMatch(/^nonces: 1 imported, .+\ndeleted tokens: 0\nunreadable: 3\ncut-over: /)
    expect(odd.status).toBe(1)
  })

  it('sets the time of the import as the cut-over time, and rejects one in the future', async () => {
    const file = legacyFile('times.db', [])
    const start = Date.now()
    const { stdout, status } = await importInto('e', '--sqlite', file)
    const at = Date.parse(/cut-over: (\S+);/.exec(stdout)?.[1] as string)
    expect(at).toBeGreaterThanOrEqual(start)
    expect(at).toBeLessThanOrEqual(Date.now())
    expect(status).toBe(0)
    for (const time of ['2999-01-01T00:00:00Z', '1763756970']) {
      const refused = await importInto('e', '--sqlite', file, '--cut-over', time)
      expect(refused.status, time).toBe(2)
      expect(refused.stderr).toContain("option '--cut-over <time>' argument")
    }
  })

  it('reports what is wrong with the file, and imports nothing', async () => {
    const text = join(folder, 'text.db')
    writeFileSync(text, 'not a database at all, but some text that is long enough to look at'.repeat(20))
    const empty = join(folder, 'empty.db')
    new Database(empty).exec('CREATE TABLE other (a)')
    for (const [args, words] of [
      [['--sqlite', join(folder, 'none.db')], 'is not a file'],
      [['--sqlite', text], 'cannot be read as an SQLite database'],
      [['--sqlite', empty], 'has no table user_nonce'],
      [['--redis', 'http://x'], 'must be a redis:// URL'],
      [['--redis', 'redis://:hunter5@127.0.0.1:1'], 'the database cannot be used: ECONNREFUSED'],
      [[], 'import needs --sqlite or --redis'],
      [
        ['--redis', 'redis://x', '--sqlite', text],
        "option '--sqlite <file>' cannot be used with option '--redis <url>'",
      ],
    ] as const) {
      const { status, stderr } = await importInto('b', ...args)
      expect(stderr, args.join(' ')).toContain(words)
      expect(stderr).not.toContain('hunter5')
      expect(status).toBe(2)
    }
  })

  /** The keys in the Redis of a legacy service, among others. */
  const legacyKeys = (): [string, Buffer | string][] => [
    ...Array.from({ length: 300 }, (_, at): [string, string] => [`cache:${at}`, 'x']),
    // keys of another program, with the same prefix
    [CAROL, '99999999999999'],
    [`token//${alive}`, TRUE],
    [`ocean_provider${ALICE}`, pickled('1700000000.25')],
    [`ocean_provider${ALICE.toLowerCase()}`, '1690000000'],
    [`ocean_provider${BOB.toLowerCase()}`, '42'],
    [`ocean_provider${DAVE}`, Buffer.from('218004950a000000000000004741da4832ea9000002e', 'hex')],
    [`ocean_providertoken//${deleted}`, TRUE],
    // a deleted token that was restored
    [`ocean_providertoken//${alive}`, FALSE],
  ]

  /** Imports from a Redis with these keys. `set` sets a key. */
  async function checkRedis(state: string, url: (password: string) => string, set: Setter): Promise<void> {
    for (const [key, value] of legacyKeys()) await set(key, value)
    const wrong = await importInto(state, '--redis', url('hunter6'))
    expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('it refuses the user or the password') })
    expect(wrong.stderr).not.toContain('hunter6')
    const { status, stderr, stdout } = await importInto(state, '--redis', url('pw'), '--cut-over', CUT_OVER)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^nonces: [3-4] imported, /)
    expect(stdout.slice(stdout.indexOf('\n') + 1)).toMatch(/^deleted tokens: [12]\n/)
    expect(stdout).toContain(CUT_OVER_LINE)
    await check(state)
    const store = openSqliteStore(join(folder, state))
    expect(await store.nonces.last(DAVE)).toBe(sortKey('1763756970.25'))
    expect(await store.nonces.last(CAROL)).toBeUndefined()
    await store.close()

    await set(`ocean_provider${CAROL}`, Buffer.from('2180045d942e', 'hex'))
    await set(`ocean_provider${ERIN}`, '9'.repeat(2000))
    await set('ocean_providerfoo|1', '7')
    const odd = await importInto(state, '--redis', url('pw'))
    expect([...new Set(lines(odd.stderr))]).toEqual([
      'skipped: "foo|1" is not an address',
      ...[CAROL, ERIN].map(
        (address) =>
          `unreadable: the nonce of ${address}, in an unknown format: which nonces that account has used is unknown`,
      ),
    ])
    expect(odd.status).toBe(1)
  }

  it('imports from a server with the Redis protocol, and reports when it is unreachable', async () => {
    const redis = await startSmallRedis('pw')
    const url = (password: string) => `redis://:${password}@127.0.0.1:${redis.port}/0`
    try {
      await checkRedis('c', url, (key, value) => redis.values.set(key, Buffer.from(value)))
      redis.cutAt = 'getrange'
      const lost = await importInto('f', '--redis', url('pw'))
      expect(lost.stderr).toContain('--redis: the database does not answer any more')
      expect(lost.stderr).not.toMatch(/pw@| at /)
      expect(lost.status).toBe(2)
    } finally {
      await redis.close()
    }
  })

  const hasRedis = spawnSync('redis-server', ['--version']).status === 0
  if (!hasRedis) console.warn('SKIPPED: import from Redis. redis-server is not installed (Debian: redis-server).')
  it.skipIf(!hasRedis)('imports from Redis', async () => {
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
      // as in the legacy service, every entry expires
      await checkRedis('g', url, (key, value) => client.set(key, value, 'EX', 300))
      await client.del(`ocean_provider${CAROL}`)
      await client.lpush(`ocean_provider${CAROL}`, '1')
      expect((await importInto('g', '--redis', url('pw'))).stderr).toContain(
        `the nonce of ${CAROL}, in an unknown format`,
      )
      client.disconnect()
    } finally {
      server.kill()
      await gone
    }
  })
})

/** Sets a key of a Redis. */
type Setter = (key: string, value: Buffer | string) => unknown
