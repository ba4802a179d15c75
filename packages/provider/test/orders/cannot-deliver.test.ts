import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { runHere } from '../../../../test/helpers/command-here.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, served } from '../../../../test/helpers/requests.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { idOf, tokenOf, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'

const REFUSED = [503, 'CANNOT_DELIVER']

/** A wrong clock and a missing key are in `test/e2e/wrong-clock.test.ts` and `test/e2e/missing-key.test.ts`. */
describe('a service that could not deliver quotes no order', () => {
  let world: World
  let proxies: RpcProxy[]
  let asset: Published
  beforeAll(async () => {
    world = await World.start({ RPC_AGREEMENT: '2' }, async (rpcUrl) => {
      proxies = await Promise.all([0, 1].map(() => RpcProxy.before(rpcUrl)))
      return proxies.map(({ url }) => url)
    })
    asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tides')))
  })
  const quote = async (base = world.network.providerUrl, { did } = asset, more = {}) => {
    const consumerAddress = world.network.accounts[1]?.address as string
    const query = new URLSearchParams({ documentId: did, serviceId: 'tide-access', consumerAddress, ...more })
    const { status, json } = await ask(`${base}/api/services/initialize?${query}`)
    return [status, json.code]
  }
  const readiness = async (base = world.network.providerUrl) => {
    const { status, json } = await ask(`${base}/ready`)
    return [status, (json.chains as { quotes: boolean }[])[0]?.quotes]
  }

  const doctor = async (url: string, settings = {}) => {
    const { hostname: HOST, port: PORT } = new URL(url)
    const gateways = { IPFS_GATEWAY: world.storage.origin, ARWEAVE_GATEWAY: world.storage.origin }
    const state = { STATE_DIR: newFolder(), PUBLIC_URL: url, ...gateways, ...settings }
    const { stdout, status } = await runHere(['doctor'], world.beside({ HOST, PORT, ...state }))
    return `${stdout}${status}`
  }

  it('doctor says so, and whether PUBLIC_URL leads to this service', async () => {
    const url = world.network.providerUrl
    await eventually(async () => String(await readiness()) === '200,true')
    expect(await doctor(url)).toMatch(
      /^ok {4}service at .*: is ready\nok {4}PUBLIC_URL .*: leads to this service\n.*: is ready\n0$/m,
    )
    const other = { PROVIDER_PRIVATE_KEY: `0x${'77'.repeat(32)}` }
    expect(await doctor(url, other)).toMatch(
      /^FAIL {2}PUBLIC_URL .*: leads to a service with another key for chain \d+\n1$/m,
    )
    const elsewhere = { PUBLIC_URL: world.storage.origin }
    expect(await doctor(url, elsewhere)).toMatch(/^FAIL {2}PUBLIC_URL .*: answered 404\n1$/m)
  })

  it('while too few of its nodes answer for RPC_AGREEMENT', async () => {
    await eventually(async () => String(await readiness()) === '200,true')
    const [, second] = proxies as [RpcProxy, RpcProxy]
    second.down = true
    await eventually(async () => (await readiness())[1] === false)
    expect(await quote()).toEqual(REFUSED)
    expect(await doctor(world.network.providerUrl)).toMatch(/^FAIL {2}service at .*: quotes no order of chain/m)
    second.down = false
    await eventually(async () => (await quote())[0] === 200 && (await readiness())[1] === true)
  })

  it('while a file that it hosts cannot be read, also if only some files are hosted', async () => {
    const publisher = await world.somebody()
    const url = await upload(
      world.network.providerUrl,
      Buffer.from('tides'),
      await tokenOf(world.network.providerUrl, publisher),
    )
    const open = world.storage.file('/b.csv', Buffer.from('open'))
    const files = [
      { type: 'url', url: open, method: 'GET' },
      { type: 'hosted', id: idOf(url) },
    ]
    const mixed = await world.publish({ files, publisher })
    const { HOSTING_DIR: folder } = world.local.app.context.settings
    renameSync(folder, `${folder}-away`)
    expect(await quote(undefined, mixed)).toEqual(REFUSED)
    expect(await quote(undefined, mixed, { fileIndex: '1' })).toEqual(REFUSED)
    expect((await quote(undefined, mixed, { fileIndex: '0' }))[0]).toBe(200)
    renameSync(`${folder}-away`, folder)
    expect((await quote(undefined, mixed))[0]).toBe(200)
  })

  it('while its disk has less space than INDEX_DISK_FLOOR, and while its database fails', async () => {
    const settings = world.beside({ STATE_DIR: newFolder() })
    const roomy = await startHere(settings)
    await served(roomy.url, asset)
    expect((await quote(roomy.url))[0]).toBe(200)
    renameSync(join(settings.STATE_DIR as string, 'tidegate.sqlite'), join(settings.STATE_DIR as string, 'away'))
    expect(await readiness(roomy.url)).toEqual([503, false])
    await eventually(async () => String(await quote(roomy.url)) === String(REFUSED))
    renameSync(join(settings.STATE_DIR as string, 'away'), join(settings.STATE_DIR as string, 'tidegate.sqlite'))
    await eventually(async () => (await quote(roomy.url))[0] === 200)
    await roomy.end()
    const full = await startHere({ ...settings, INDEX_DISK_FLOOR: String(Number.MAX_SAFE_INTEGER) })
    await eventually(async () => String(await quote(full.url)) === String(REFUSED))
    expect(await readiness(full.url)).toEqual([503, false])
    const said = await doctor(full.url)
    expect(said).toMatch(/^FAIL {2}service at .*: is not ready: /m)
    expect(said).toMatch(/^FAIL {2}PUBLIC_URL .*: is not ready/m)
    await full.end()
  })
})
