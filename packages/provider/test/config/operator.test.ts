import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { runHere } from '../../../../test/helpers/command-here.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { World } from '../../../../test/helpers/world.js'
import { type ConfigError, loadSettings } from '../../src/config/load.js'

const KEY = `0x${'11'.repeat(32)}`
const OTHER = `0x${'22'.repeat(32)}`
const base = { NETWORK_URL: 'http://127.0.0.1:8545' }

describe('settings of an operator', () => {
  const folder = newFolder()
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const problems = (environment: Record<string, string>) => {
    try {
      loadSettings(environment)
      return []
    } catch (error) {
      return (error as ConfigError).problems
    }
  }

  it('may read secrets from files', () => {
    const settings = loadSettings({ ...base, PROVIDER_PRIVATE_KEY_FILE: file('key', `${KEY}\n`) })
    expect(settings.PROVIDER_PRIVATE_KEY.all?.address).toBe('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A')
    const missing = join(folder, 'none')
    expect(problems({ ...base, PROVIDER_PRIVATE_KEY_FILE: missing })).toEqual([
      'PROVIDER_PRIVATE_KEY_FILE: the file that it names cannot be read: ENOENT.',
    ])
    expect(problems({ ...base, PROVIDER_PRIVATE_KEY: KEY, PROVIDER_PRIVATE_KY_FILE: 'x' })).toEqual([])
  })

  it('accept the names of the legacy service', () => {
    const settings = loadSettings({
      ...base,
      UNIVERSAL_PRIVATE_KEY: KEY,
      AQUARIUS_URL: 'https://cache.example.org/',
      REQUEST_TIMEOUT: '7',
      LOG_LEVEL: 'WARNING',
    })
    expect(settings).toMatchObject({
      METADATA_CACHE_URL: ['https://cache.example.org'],
      STORAGE_RESPONSE_TIMEOUT: 7000,
      LOG_LEVEL: 'warn',
    })
    expect(settings.UNIVERSAL_PRIVATE_KEY?.address).toMatch(/^0x/)
    const present = { ...base, PROVIDER_PRIVATE_KEY: KEY, REQUEST_TIMEOUT: '7', STORAGE_RESPONSE_TIMEOUT: '900' }
    expect(loadSettings(present).STORAGE_RESPONSE_TIMEOUT).toBe(900)
    expect(problems(base)).toEqual([expect.stringMatching(/^PROVIDER_PRIVATE_KEY: is required/)])
    expect(problems({ ...base, PROVIDER_PRIVATE_KEY: KEY, REQUEST_TIMEOUT: 'soon' })).toHaveLength(1)
  })
})

describe('commands of an operator', () => {
  let world: World
  let gateway: StorageServer
  let proxy: RpcProxy
  let environment: Record<string, string>
  const folder = newFolder()
  beforeAll(async () => {
    world = await World.start()
    gateway = await StorageServer.start()
    proxy = await RpcProxy.before(world.network.rpcUrl)
    environment = world.beside({
      NETWORK_URL: proxy.url,
      PROVIDER_PRIVATE_KEY: KEY,
      PREVIOUS_PRIVATE_KEYS: OTHER,
      DATABASE_URL: '',
      STATE_DIR: folder,
      IPFS_GATEWAY: gateway.origin,
      ARWEAVE_GATEWAY: gateway.origin,
      RBAC_SERVER_URL: 'http://user:hunter3@127.0.0.1:1/secret',
    })
  })
  const run = (command: string, changed: Record<string, string> = {}) =>
    runHere([command], { ...environment, ...changed })

  it('config prints the effective settings without secrets', async () => {
    const { status, stdout } = await run('config')
    expect(status).toBe(0)
    const lines = stdout.trim().split('\n')
    expect(lines).toContain('# PROVIDER_PRIVATE_KEY is set, and not shown')
    expect(lines).toContain('# RBAC_SERVER_URL=http://127.0.0.1:1/…')
    expect(lines).toContain('ORDER_WAIT=5000')
    expect(lines).toContain('STORAGE_PORTS=80,443,1024-65535')
    expect(lines.find((line) => line.startsWith('# NETWORK_URL='))).toMatch(
      /^# NETWORK_URL=http:\/\/127\.0\.0\.1:\d+\/…$/,
    )
    expect(stdout).not.toMatch(/hunter|1111|2222/)
  })

  it('doctor reports problems, and exits with 1 if there are any', async () => {
    const { status, stdout } = await run('doctor')
    expect(status).toBe(1)
    const bad = stdout.split('\n').filter((line) => line.startsWith('FAIL'))
    const refused = 'cannot be reached: it refuses connections (ECONNREFUSED)'
    expect(bad).toEqual([`FAIL  access control server 127.0.0.1:1: ${refused}`])
    for (const what of [
      'settings',
      'node 127.0.0.1',
      'provider address 0x19E7',
      '1 older key',
      'factory',
      'database in',
    ])
      expect(stdout, what).toMatch(new RegExp(`^ok    .*${what}`, 'm'))
    expect(stdout).not.toMatch(/hunter|1111|2222/)
    expect((await run('doctor', { RBAC_SERVER_URL: '' })).status).toBe(0)
    const broken = await run('doctor', { RBAC_SERVER_URL: '', NETWORK_URL: `{"1":"${world.network.rpcUrl}"}` })
    expect(broken.stdout).toMatch(/^FAIL {2}NETWORK_URL: the node at \S+ is on chain 8996, not on chain 1\.$/m)
    expect((await run('doctor', { PORT: 'x' })).stdout).toMatch(/^FAIL {2}PORT: /)
    const database = await run('doctor', { RBAC_SERVER_URL: '', DATABASE_URL: 'postgres://u:hunter4@127.0.0.1:1/x' })
    expect(database.stdout).toMatch(
      /^FAIL {2}DATABASE_URL: the database x at 127\.0\.0\.1:1 as user u cannot be used: nothing listens there \(ECONNREFUSED\)\.$/m,
    )
  })
})
