import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresBackend, startPostgres } from '../helpers/backends.js'
import { program, runCommand } from '../helpers/command.js'

const environment = {
  NETWORK_URL: '{"11155111":"http://127.0.0.1:1"}',
  PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
  PORT: '0',
  HOST: '127.0.0.1',
}

describe('a PostgreSQL that refuses the service', () => {
  let postgres: PostgresBackend
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())

  it.each([
    ['another password', (url: URL) => (url.password = 'wrong-hunter2'), /the password is wrong \(28P01\)\.$/m],
    [
      'a database that is not there',
      (url: URL) => (url.pathname = '/nowhere'),
      /there is no such database \(3D000\)\.$/m,
    ],
    [
      'TLS that it does not speak',
      (url: URL) => url.searchParams.set('sslmode', 'require'),
      /does not speak TLS: see sslmode\.$/m,
    ],
  ])('is named with host, user and cause: %s', async (_, change, cause) => {
    const url = new URL(postgres.url())
    change(url)
    const { status, stderr } = await runCommand(['start'], { ...environment, DATABASE_URL: url.href })
    expect([status, stderr]).toEqual([2, expect.stringMatching(cause)])
    expect(stderr).toContain(`at ${url.host} as user ${url.username} cannot be used`)
    expect(stderr).not.toContain('hunter2')
  })
})

describe('an installation without a package that it needs', () => {
  it('says which one is missing, in one line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-missing-'))
    const [cli = ''] = program().slice(-1)
    cpSync(dirname(cli), join(folder, 'dist'), { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"type":"module","version":"0.0.0"}')
    const { status, stderr } = await runCommand(['start'], environment, '', [join(folder, 'dist', 'cli.js')])
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^tidegate: the package \S+ is missing \(\w+-\w+\): install again on this machine, with optional dependencies\.\n$/,
      ),
    ])
    rmSync(folder, { recursive: true })
  })
})
