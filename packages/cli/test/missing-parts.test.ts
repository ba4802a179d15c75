import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { program, runCommand } from '../../../test/helpers/command.js'
import { openHere } from '../../../test/helpers/command-here.js'
import { type PostgresDatabase, startPostgres } from '../../../test/helpers/postgres-database.js'

const environment = {
  NETWORK_URL: '{"11155111":"http://127.0.0.1:1"}',
  PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
  PORT: '0',
  HOST: '127.0.0.1',
}

describe('a PostgreSQL that refuses the service', () => {
  let postgres: PostgresDatabase
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())

  it.each([
    [
      'another password',
      (url: URL) => (url.password = 'wrong-hunter2'),
      /the password is wrong \(28P01\)\. The server says: password authentication failed/,
    ],
    [
      'a database that is not there',
      (url: URL) => (url.pathname = '/nowhere'),
      /there is no such database \(3D000\)\. The server says: /,
    ],
    [
      'TLS that it does not speak',
      (url: URL) => url.searchParams.set('sslmode', 'require'),
      /does not speak TLS: see sslmode\.$/m,
    ],
  ])('is named with host, user and cause: %s', async (_, change, cause) => {
    const url = new URL(postgres.url())
    change(url)
    const { status, stderr } = await openHere({ ...environment, DATABASE_URL: url.href })
    expect([status, stderr]).toEqual([2, expect.stringMatching(cause)])
    expect(stderr).toContain(`at ${url.host} as user ${url.username} cannot be used`)
    expect(stderr).not.toContain('hunter2')
  })
})

describe('an installation without a required package', () => {
  it('names the missing package in one line', async () => {
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

describe('a machine without a local chain', () => {
  it.each([
    ['no package and no program', {}, /the package @foundry-rs\/anvil runs here \(\w+ \w+, ENOENT\)\. Install Foundry/],
    ['another program', { ANVIL_BIN: '/nowhere/anvil' }, /ANVIL_BIN is \/nowhere\/anvil: ENOENT/],
  ])('says in one line what to install: %s', async (_, set, said) => {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-missing-'))
    const [cli = ''] = program().slice(-1)
    const modules = join(folder, 'node_modules')
    cpSync(dirname(cli), join(folder, 'dist'), { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"type":"module","version":"0.0.0"}')
    const installed = new URL('../../../node_modules/', import.meta.url)
    mkdirSync(modules)
    for (const name of readdirSync(installed))
      if (!name.startsWith('.') && name !== '@foundry-rs') symlinkSync(new URL(name, installed), join(modules, name))
    const { status, stderr } = await runCommand(
      ['dev', '--port', '0', '--rpc-port', '0'],
      { PATH: folder, ...set },
      '',
      [join(folder, 'dist', 'cli.js')],
    )
    expect([status, stderr.trim().split('\n')]).toEqual([1, [expect.stringMatching(said)]])
    rmSync(folder, { recursive: true })
  })
})

describe('the command of the package in a checkout', () => {
  it('runs, explains what to do before a build, and after it works like the built command', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-checkout-'))
    const [cli = ''] = program().slice(-1)
    cpSync(fileURLToPath(new URL('../../../bin', import.meta.url)), join(folder, 'bin'), { recursive: true })
    cpSync(fileURLToPath(new URL('../../../package.json', import.meta.url)), join(folder, 'package.json'))
    symlinkSync(new URL('../../../node_modules', import.meta.url), join(folder, 'node_modules'))
    const run = () => spawnSync(join(folder, 'bin', 'tidegate.js'), ['--version'], { encoding: 'utf8' })
    const before = run()
    expect([before.status, before.stdout, before.stderr]).toEqual([
      1,
      '',
      'Tidegate is not built in this checkout. Run once: npm run build\n',
    ])
    cpSync(dirname(cli), join(folder, 'dist'), { recursive: true })
    const after = run()
    expect([after.status, after.stderr]).toEqual([0, ''])
    expect(after.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    rmSync(folder, { recursive: true })
  })
})
