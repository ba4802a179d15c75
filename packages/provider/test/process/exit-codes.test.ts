import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../../test/helpers/command.js'
import { buildHere, runHere } from '../../../../test/helpers/command-here.js'
import { openSqliteStore } from '../../src/state/sqlite.js'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-codes-'))
afterAll(() => rmSync(folder, { recursive: true }))

const unreachable = { DATABASE_URL: 'postgres://tidegate@127.0.0.1:1/tidegate', STATE_DIR: join(folder, 'none') }
const backup = join(folder, 'backup.sqlite')

describe('an unreachable database', () => {
  const stderr = expect.stringContaining('(ECONNREFUSED)')

  it('ends `tidegate start` with 69, and a wrong setting with 2', async () => {
    const settings = { NETWORK_URL: '{"11155111":"http://127.0.0.1:1"}', PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}` }
    const environment = { ...settings, ...unreachable, LOG_LEVEL: 'fatal' }
    expect(await runCommand(['start'], environment)).toMatchObject({ status: 69, stderr })
    expect(await buildHere({ ...environment, PORT: 'x' })).toMatchObject({ status: 2 })
  })

  it.each([
    ['report'],
    ['files', 'list'],
    ['reindex'],
    ['state', 'check'],
    ['state', 'restored'],
  ])('ends `tidegate %s %s` with 69', async (...args) => {
    expect(await runHere(args, unreachable)).toMatchObject({
      status: 69,
      stderr: expect.stringMatching(/ECONNREFUSED/),
    })
  })
})

describe('commands of the database', () => {
  const environment = { STATE_DIR: join(folder, 'state') }
  beforeAll(() => openSqliteStore(environment.STATE_DIR).close())

  it.each([
    [['import', '--sqlite', join(folder, 'missing')], 2],
    [['report'], 0],
    [['files', 'list'], 0],
    [['reindex'], 0],
    [['state', 'check'], 0],
    [['state', 'backup', backup], 0],
    [['state', 'restore', backup, '--force'], 0],
    [['state', 'copy', '--from', 'sqlite', '--to', `sqlite:${join(folder, 'copy')}`], 0],
  ])('need neither keys nor nodes: %j', async (args, status) => {
    const ended = await runHere(args, environment)
    expect(ended.stderr).not.toMatch(/NETWORK_URL|PROVIDER_PRIVATE_KEY/)
    expect(ended.status).toBe(status)
  })
})
