import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Certificate, selfSigned } from '../../../../test/helpers/certificate.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { authentication, fakePostgres, ready, type Script } from '../../../../test/helpers/fake-postgres.js'
import { type PostgresBackend, startPostgresServer } from '../../../../test/helpers/postgres-server.js'
import { ASKING, testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'
import type { EgressOptions } from '../../src/egress/egress.js'

const running: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of running.splice(0)) await end()
})

/** Reads the result of a query at a URL to its end. */
async function read(url: string, options: Partial<EgressOptions> = {}, query = 'SELECT 1 AS a'): Promise<string> {
  const egress = testEgress(options)
  try {
    const { body } = await testRegistry(egress)
      .file({ type: 'sql', url, query })
      .open({ ...ASKING, method: 'GET', headers: {} })
    let text = ''
    for await (const chunk of body) text += chunk
    return text
  } finally {
    await egress.close()
  }
}

async function fake(script: Script = {}, certificate?: Certificate) {
  const server = await fakePostgres(script, certificate)
  running.push(() => server.close())
  return server
}

const REFUSED = { code: 'STORAGE_REFUSED' }
const HOST = '127.0.0.1'

describe('the URL of a database (threats 55 and 61)', () => {
  const problemOf = (url: string): string | undefined => {
    try {
      testRegistry(testEgress()).file({ type: 'sql', url, query: 'SELECT 1' })
      return undefined
    } catch (error) {
      return (error as { fields?: Record<string, string[]> }).fields?.url?.join(' ') ?? `not a field: ${error}`
    }
  }

  it.each([
    'postgres://reader@db.example.org/tides',
    'postgresql://reader:s%20%C3%BC@db.example.org:6543/t%2Fides',
    'postgres://reader:secret@[2001:db8::1]/tides?sslmode=disable',
    'postgres://reader:secret@db.example.org/tides?sslmode=require',
    'postgres://reader:secret@db.example.org/tides?sslmode=verify-ca',
    'postgres://reader:secret@db.example.org/tides?sslmode=verify-full',
    'postgres://reader:secret@db.example.org/tides?',
  ])('may be %s', (url) => expect(problemOf(url)).toBeUndefined())

  it.each([
    ['postgres://db.example.org/tides', 'user'],
    ['postgres://:secret@db.example.org/tides', 'user'],
    ['postgres://reader@db.example.org', 'database'],
    ['postgres://reader@db.example.org/', 'database'],
    ['postgres:///tides', 'user'],
    ['mysql://reader@db.example.org/tides', 'postgres URL'],
    ['postgres://%zz@host/db', 'percent-encoded'],
    ['postgres://a:%zz@host/db', 'percent-encoded'],
    ['postgres://a:%ff@host/db', 'percent-encoded'],
    ['postgres://a@host/%', 'percent-encoded'],
    ['postgres://a%00b@host/db', 'NUL'],
    ['postgres://a:b%00@host/db', 'NUL'],
    ['postgres://a@host/d%00b', 'NUL'],
    ['postgres://a@host/db?sslmode=prefer', 'sslmode'],
    ['postgres://a@host/db?sslmode=allow', 'plaintext'],
    ['postgres://a@host/db?sslmode=no-verify', 'sslmode'],
    ['postgres://a@host/db?sslmode=Require', 'sslmode'],
    ['postgres://a@host/db?sslmode=', 'sslmode'],
    ['postgres://a@host/db?sslmode=constructor', 'sslmode'],
    ['postgres://a@host/db?sslmode=require&sslmode=disable', 'parameter'],
    ['postgres://a@host/db?ssl=true', 'parameter'],
    ['postgres://a@host/db?sslmode=verify-full&sslrootcert=/etc/passwd', 'parameter'],
    ['postgres://a@host/db?host=/tmp', 'parameter'],
    ['postgres://a@host/db?options=-c%20x', 'parameter'],
    ['postgres://a@host/db#sslmode=require', 'parameter'],
  ])('must not be %s, with an error that quotes nothing of it', (url, word) => {
    const problem = problemOf(url)
    expect(problem).toMatch(/^The url field must /)
    expect(problem).toContain(word)
    expect(problem).not.toMatch(/passwd|reader|example|%/)
  })

  it('comes with a statement and values, in which NUL is rejected', async () => {
    const registry = testRegistry(testEgress())
    const file = { type: 'sql', url: 'postgres://a@host/db', query: 'SELECT $1', parameters: ['v'] }
    expect(() => registry.file({ ...file, query: 'SELECT \0' })).toThrow()
    expect(() => registry.file(file).check({ v: 'a\0b' })).toThrow()
    expect(() => registry.file(file).check({ v: 'a' })).not.toThrow()
  })
})

describe('what a database learns about this process (threat 45)', () => {
  const folder = newFolder()
  const before = { ...process.env }
  beforeAll(() => {
    const passwords = join(folder, 'passwords')
    writeFileSync(passwords, '*:*:*:*:leaked-file\n', { mode: 0o600 })
    Object.assign(process.env, {
      PGHOST: 'leaked-host',
      PGPORT: '1',
      PGUSER: 'leaked-user',
      PGPASSWORD: 'leaked-password',
      PGPASSFILE: passwords,
      PGDATABASE: 'leaked-database',
      PGOPTIONS: '-c leaked.option=1',
      PGSSLMODE: 'require',
      PGSSLNEGOTIATION: 'direct',
      PGAPPNAME: 'leaked-application',
      PGREPLICATION: 'database',
      PGCLIENT_ENCODING: 'LATIN1',
      PGBINARY: '1',
      PGCONNECT_TIMEOUT: '1',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    })
  })
  afterAll(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  })

  const STARTUP = {
    user: 'reader',
    database: 'tides',
    application_name: 'tidegate',
    client_encoding: 'UTF8',
    statement_timeout: '60000',
    options: '-c default_transaction_read_only=on -c client_min_messages=error',
  }
  const md5 = { startup: (to: { write(bytes: Buffer): unknown }) => to.write(authentication(5, 'salt')) }

  it('is what the URL contains, and nothing else', async () => {
    const { url, seen } = await fake()
    expect(await read(url())).toBe('a\n1\n')
    expect(seen).toMatchObject({ startup: [STARTUP], passwords: ['secret'], tlsRequests: 0 })
  })

  it('is an empty password if the URL has none', async () => {
    for (const user of ['reader', 'reader:']) {
      const { url, seen } = await fake()
      expect(await read(url('', user))).toBe('a\n1\n')
      expect(seen).toMatchObject({ startup: [STARTUP], passwords: [''] })
    }
    const hashed = await fake(md5)
    await read(hashed.url('', 'reader'))
    // the hash of an empty password, which reveals nothing
    const hash = (text: string) => createHash('md5').update(text).digest('hex')
    expect(hashed.seen.passwords).toEqual([`md5${hash(`${hash('reader')}salt`)}`])
  })

  it('does not depend on environment variables that disable certificate checks', async () => {
    const { url, seen } = await fake({}, selfSigned(HOST))
    await expect(read(url('?sslmode=verify-full'))).rejects.toMatchObject(REFUSED)
    expect(seen.startup).toEqual([])
  })
})

describe('TLS to a database follows sslmode of the descriptor (threat 55)', () => {
  const MODES = ['require', 'verify-ca', 'verify-full']

  it.each(MODES)('%s: accepts a certificate of the host by a trusted authority', async (mode) => {
    const certificate = selfSigned(HOST)
    const { url, seen } = await fake({}, certificate)
    expect(await read(url(`?sslmode=${mode}`), { ca: certificate.cert })).toBe('a\n1\n')
    expect(seen).toMatchObject({ tlsRequests: 1, plain: 0, passwords: ['secret'] })
  })

  it('sends the host name to the server (SNI)', async () => {
    const certificate = selfSigned('db.example.org')
    const { url, seen } = await fake({}, certificate)
    const lookup: EgressOptions['lookup'] = (_name, _options, found) => found(null, [{ address: HOST, family: 4 }])
    const named = url('?sslmode=verify-full').replace(HOST, 'db.example.org')
    expect(await read(named, { ca: certificate.cert, lookup })).toBe('a\n1\n')
    const other = url('?sslmode=verify-full').replace(HOST, 'other.example.org')
    await expect(read(other, { ca: certificate.cert, lookup })).rejects.toMatchObject(REFUSED)
    expect(seen.startup.length).toBe(1)
  })

  it.each(MODES)('%s: sends nothing to a server with another name or an unknown authority', async (mode) => {
    const [wrong, right] = [selfSigned('other.example.org'), selfSigned(HOST)]
    const misnamed = await fake({}, wrong)
    await expect(read(misnamed.url(`?sslmode=${mode}`), { ca: wrong.cert })).rejects.toMatchObject(REFUSED)
    const unknown = await fake({}, right)
    await expect(read(unknown.url(`?sslmode=${mode}`), { ca: selfSigned(HOST).cert })).rejects.toMatchObject(REFUSED)
    await expect(read(unknown.url(`?sslmode=${mode}`))).rejects.toMatchObject(REFUSED)
    for (const { seen } of [misnamed, unknown]) expect(seen).toMatchObject({ startup: [], passwords: [], plain: 0 })
  })

  it.each<[string, Script]>([
    ['has no TLS', {}],
    ['answers an error', { tls: (to) => to.write('E') }],
    [
      'adds something in plain text',
      { tls: (to) => to.write(Buffer.concat([Buffer.from('S'), authentication(0), ready()])) },
    ],
    ['agrees, and speaks no TLS', { tls: (to) => to.write('S') && to.write(authentication(0)) }],
    ['goes', { tls: (to) => to.end() }],
  ])('sends nothing in plain text to a server that %s', async (_, script) => {
    for (const mode of MODES) {
      const { url, seen } = await fake(script)
      await expect(read(url(`?sslmode=${mode}`))).rejects.toMatchObject({ code: expect.stringMatching(/^STORAGE_/) })
      expect(seen).toMatchObject({ tlsRequests: 1, startup: [], passwords: [], plain: 0 })
    }
  })

  it('is off with disable or without sslmode', async () => {
    for (const query of ['', '?sslmode=disable']) {
      const { url, seen } = await fake({}, selfSigned(HOST))
      expect(await read(url(query))).toBe('a\n1\n')
      expect(seen).toMatchObject({ tlsRequests: 0, plain: 1 })
    }
  })

  describe('of a real PostgreSQL', () => {
    const certificate = selfSigned(HOST)
    let backend: PostgresBackend
    beforeAll(async () => {
      backend = await startPostgresServer('SELECT 1', certificate)
    })
    const encrypted = (mode: string, ca?: string) =>
      read(
        `${backend.url()}?sslmode=${mode}`,
        ca ? { ca } : {},
        'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      )

    it('is encrypted only if requested', async () => {
      for (const mode of MODES) expect(await encrypted(mode, certificate.cert)).toBe('ssl\ntrue\n')
      expect(await encrypted('disable')).toBe('ssl\nfalse\n')
      await expect(encrypted('require')).rejects.toMatchObject(REFUSED)
    })
  })
})
