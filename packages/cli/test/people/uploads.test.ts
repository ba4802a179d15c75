import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../../../../test/helpers/command-here.js'
import { type Home, makeHome } from '../../../../test/helpers/terminal.js'
import { World } from '../../../../test/helpers/world.js'
import { CuttingProxy } from '../../../client/test/cutting-proxy.js'

const CONTENT = randomBytes(3_000_000)
const SHA256 = createHash('sha256').update(CONTENT).digest('hex')

describe('tidegate publish with a local file', () => {
  let world: World
  let proxy: CuttingProxy
  let home: Home
  beforeAll(async () => {
    world = await World.start()
    proxy = await CuttingProxy.before(world.network.providerUrl)
    home = makeHome()
    writeFileSync(at('tides.csv'), CONTENT)
  })
  afterAll(async () => {
    proxy.close()
    await world.close()
    home.remove()
  })

  const at = (name: string) => join(home.folder, name)
  const kept = () => {
    const folder = at('state/tidegate/uploads')
    return existsSync(folder) ? readdirSync(folder) : []
  }
  async function run(...args: string[]) {
    const here = { TIDEGATE_PROVIDER: proxy.url, TIDEGATE_RPC: world.network.rpcUrl, XDG_STATE_HOME: at('state') }
    const { status, stdout, stderr } = await runHere([...args, '--json'], { ...home.environment, ...here })
    return { status, stderr, answer: JSON.parse(stdout) }
  }
  const publish = (...more: string[]) =>
    run('publish', at('tides.csv'), '--name', 'Tide tables', '--account', '1', '--yes', ...more)

  it('uploads it, and a buyer gets the same bytes', async () => {
    proxy.uploadCuts = [300_000]
    const published = await publish('--price', '5')
    expect(published.status, published.stderr).toBe(0)
    expect(published.stderr).toContain(`${CONTENT.length} bytes  sha256 ${SHA256}`)
    expect([proxy.cut, proxy.uploads]).toEqual([1, 1])
    expect(kept()).toEqual([])
    const { did } = published.answer
    const got = await run('get', did, '-o', at('got.csv'), '--account', '2', '--yes')
    expect(got.status, got.stderr).toBe(0)
    expect(got.answer).toMatchObject({ bought: true, bytes: CONTENT.length, sha256: SHA256 })
    expect(readFileSync(at('got.csv')).equals(CONTENT)).toBe(true)
    const asset = await run('show', did)
    expect(asset.answer.services[0].files).toMatchObject([{ size: CONTENT.length, available: true }])
  })

  it('does not upload it again after a failed publication', async () => {
    const before = proxy.uploads
    const poor = { amount: '5', token: `0x${'12'.repeat(20)}` }
    const failed = await publish('--price', `${poor.amount}:${poor.token}`)
    expect(failed.status).toBe(1)
    expect(kept()).toHaveLength(1)
    const published = await publish('--free')
    expect(published.status, published.stderr).toBe(0)
    expect(proxy.uploads - before).toBe(1)
    expect(kept()).toEqual([])
  })
})
