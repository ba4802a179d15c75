import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { program, runCommand } from '../../../test/helpers/command.js'
import { buildHere, runHere } from '../../../test/helpers/command-here.js'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-wrong-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A service on a built-in network whose node does not answer: it starts nevertheless. */
const environment = {
  NETWORK_URL: '{"11155111":"http://127.0.0.1:1"}',
  PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
  STATE_DIR: join(folder, 'state'),
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'fatal',
}
const missing = join(folder, 'missing.json')

describe('a start with wrong settings', () => {
  it('ends, and names HOST and the reason in one line', async () => {
    expect(await runCommand(['start'], { ...environment, HOST: '203.0.113.1' })).toMatchObject({
      status: 2,
      stderr: 'tidegate: HOST: cannot listen at 203.0.113.1:0: this machine has no such address.\n',
    })
  })

  it.each([
    [
      'PURGATORY_ASSETS',
      { PURGATORY_ASSETS: missing },
      `PURGATORY_ASSETS: the list ${missing} cannot be read: there is no such file.`,
    ],
    [
      'COMPUTE_ENVIRONMENTS',
      { COMPUTE_ENVIRONMENTS: '[{"id":"small","consumerAddress":"0x12"}]' },
      'COMPUTE_ENVIRONMENTS: consumerAddress of small must be an address (0x and 40 hex digits).',
    ],
    [
      'STATE_DIR',
      { STATE_DIR: '/dev/null/state' },
      'STATE_DIR: the database in /dev/null/state cannot be opened: it cannot be written to (ENOTDIR).',
    ],
    [
      'DATABASE_URL',
      { DATABASE_URL: 'postgres://tidegate:pass#word@db.example.org/tidegate' },
      'DATABASE_URL: must be a postgres:// URL, with # @ / ? % of user and password written as %23 %40 %2F %3F %25.',
    ],
  ])('ends it, and names %s and the reason in one line', async (_, changed, line) => {
    expect(await buildHere({ ...environment, ...changed })).toMatchObject({
      status: 2,
      stderr: `tidegate: ${line}\n`,
    })
  })

  it('names METRICS_PORT when that port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    expect(await runCommand(['start'], { ...environment, METRICS_PORT: String(port) })).toMatchObject({
      status: 69,
      stderr: `tidegate: METRICS_PORT: cannot listen at 127.0.0.1:${port}: the port is in use.\n`,
    })
    other.close()
  })

  it('refuses two different keys for one chain', async () => {
    const password = join(folder, 'password')
    writeFileSync(password, 'correct horse battery')
    const file = join(folder, 'key.json')
    const made = await runHere(['keys', 'make', '--file', file, '--password-file', password], {})
    expect(made).toMatchObject({ status: 0 })
    const both = { ...environment, KEYSTORE: file, KEYSTORE_PASSWORD_FILE: password }
    const { status, stderr } = await buildHere(both)
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^tidegate: PROVIDER_PRIVATE_KEY and KEYSTORE hold different keys: 0x\w+ and 0x\w+\. Name one of them\.\n$/,
      ),
    ])
  })
})

describe('commands', () => {
  it('reindex reports that there is no database, and creates none', async () => {
    const nowhere = { ...environment, STATE_DIR: join(folder, 'nowhere') }
    expect(await runHere(['reindex'], nowhere)).toMatchObject({
      status: 2,
      stderr: `tidegate: STATE_DIR: there is no database in ${nowhere.STATE_DIR}, so there is no index to rebuild.\n`,
    })
    expect(readdirSync(folder)).not.toContain('nowhere')
  })

  it('end quietly when their reader closes the pipe', async () => {
    const pipe = [process.execPath, ...program(), 'config'].map((part) => `'${part}'`).join(' ')
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', `${pipe} | head -n 1`], {
      env: { PATH: process.env.PATH as string, ...environment },
    })
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^NETWORK_URL=.*\n$/), ''])
  })
})
