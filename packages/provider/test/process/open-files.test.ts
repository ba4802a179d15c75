import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { program } from '../../../../test/helpers/command.js'
import { loadSettings } from '../../src/config/load.js'
import { tooFewOpenFiles } from '../../src/process/open-files.js'

const environment = { NETWORK_URL: 'http://127.0.0.1:1', PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}` }
const limits = (open: number | string) =>
  `Limit  Soft Limit  Hard Limit  Units\nMax processes             95000     95000     processes\nMax open files            ${open}                ${open}                files\n`

describe('the limit of open files', () => {
  const settings = loadSettings({ ...environment, MAX_CONNECTIONS: '5000' })

  it('is sufficient if all connections, storage requests and a reserve fit below it', () => {
    expect(tooFewOpenFiles(settings, limits(1_048_576))).toBeUndefined()
    expect(tooFewOpenFiles(settings, limits('unlimited'))).toBeUndefined()
    expect(tooFewOpenFiles(settings, '')).toBeUndefined()
    const { limit, wanted } = tooFewOpenFiles(settings, limits(4096)) ?? { limit: 0, wanted: 0 }
    expect(limit).toBe(4096)
    expect(wanted).toBeGreaterThan(5000 + settings.STORAGE_MAX_REQUESTS)
    expect(tooFewOpenFiles(settings, limits(wanted))).toBeUndefined()
  })

  it.runIf(process.platform === 'linux')('is reported by doctor when it is too low (threat 80)', () => {
    const script = 'ulimit -n 1000 && exec "$0" "$@"'
    const { stdout } = spawnSync('/bin/sh', ['-c', script, process.execPath, ...program(), 'doctor'], {
      env: { PATH: process.env.PATH, ...environment },
      encoding: 'utf8',
    })
    expect(stdout).toMatch(/^warn {2}open files: 1000 are allowed, the settings want \d+ \(ulimit -n\)$/m)
  })
})
