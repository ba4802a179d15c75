import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Wallet } from 'ethers'
import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Chain } from '../../packages/chain/src/chains.js'
import { encrypt } from '../../packages/protocol/src/crypto/ecies.js'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { type App, createApp } from '../../packages/provider/src/app.js'
import { loadSettings } from '../../packages/provider/src/config/load.js'
import { quoteFee } from '../../packages/provider/src/orders/quote.js'
import { runHere } from '../helpers/command-here.js'
import { acquire, mined, order } from '../helpers/consume.js'
import { eventually } from '../helpers/eventually.js'
import { startInstance } from '../helpers/instance.js'
import { ocean, type ProviderFees } from '../helpers/ocean.js'
import type { Published } from '../helpers/publish.js'
import { type Asking, ask, downloadParams, served } from '../helpers/requests.js'
import { World } from '../helpers/world.js'

const OTHER_KEY = `0x${'77'.repeat(32)}`
const METRIC = /^tidegate_assets_with_unknown_key\{chain="8996"\} (\S+)$/m

describe('a provider whose key was replaced', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  let world: World
  let asset: Published
  let garbage: Published
  let buyer: Wallet
  let txId: string
  let oldKey: string

  beforeAll(async () => {
    world = await World.start()
    oldKey = world.network.accounts[8]?.privateKey as string
    asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tides')))
    buyer = await world.somebody()
    txId = await world.order(asset, buyer)
    await inUse({}, async ({ url }) => {
      await download(url, asset, [200, undefined])
      await publishGarbage()
      await served(url, garbage)
    })
  })
  const publishGarbage = async () => {
    // a stranger's, published while all keys are known: it only says that it is for this provider
    const { publicKey } = providerKey(`0x${'99'.repeat(32)}`)
    garbage = await world.publish({
      files: [],
      adjust: (ddo) => {
        for (const service of ddo.services) service.files = `0x${encrypt(publicKey, Buffer.from('{}')).toString('hex')}`
      },
    })
  }
  afterAll(async () => {
    await world.close()
    rmSync(folder, { recursive: true })
  })

  const settings = (changed: NodeJS.ProcessEnv = {}) =>
    world.beside({
      METRICS_PORT: '0',
      STATE_DIR: join(folder, 'state'),
      PUBLIC_URL: world.network.providerUrl,
      ...changed,
    })

  async function inUse(changed: NodeJS.ProcessEnv, use: (at: { url: string; app: App }) => Promise<void>) {
    const app = await createApp(loadSettings(settings(changed)))
    try {
      const url = await app.listen()
      await served(url, asset)
      await use({ url, app })
    } finally {
      await app.close()
    }
  }
  const outcome = async (url: string, init?: Asking) => {
    const { status, json } = await ask(url, init)
    return [status, json.code]
  }
  const initialize = (base: string, of: Published, order?: string) => {
    const query = { documentId: of.did, serviceId: 'tide-access', consumerAddress: buyer.address }
    const params = new URLSearchParams({ ...query, ...(order ? { transferTxId: order } : {}) })
    return outcome(`${base}/api/services/initialize?${params}`)
  }
  const fileinfo = (base: string, { did }: Published) =>
    outcome(`${base}/api/services/fileinfo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ did, serviceId: 'tide-access' }),
    })
  const download = async (base: string, of: Published, expected: unknown[]) =>
    expect(await outcome(`${base}/api/services/download?${await downloadParams(of, txId, buyer)}`)).toEqual(expected)
  const counted = async ({ app }: { app: App }) => {
    const { text } = await ask(`${app.metricsUrl}/metrics`)
    return METRIC.exec(text)?.[1] ?? 'none'
  }
  const MISSING = [503, 'PROVIDER_KEY_MISSING']

  it('tells buyers that it is at fault, and the operator which assets need the key (threat 100)', async () => {
    await inUse({ PROVIDER_PRIVATE_KEY: OTHER_KEY }, async (at) => {
      expect(await initialize(at.url, asset)).toEqual(MISSING)
      expect(await fileinfo(at.url, asset)).toEqual(MISSING)
      await download(at.url, asset, MISSING)
      await eventually(async () => Number(await counted(at)) > 0)
    })
    const lost = settings({ PROVIDER_PRIVATE_KEY: OTHER_KEY })
    const instance = await startInstance(lost)
    await eventually(() => instance.lines.some((line) => line.includes('key is missing') && line.includes(asset.did)))
    expect(
      instance.lines.some((line) => line.includes('was in use') && line.includes(providerKey(oldKey).address)),
    ).toBe(true)
    await instance.end()
    const { status, stdout } = await runHere(['doctor'], lost)
    expect(status).toBe(1)
    expect(stdout).toMatch(
      new RegExp(`^FAIL .*need a key that is missing.*${providerKey(oldKey).address}.*${asset.did}`, 'm'),
    )
  })

  it('serves everything with the previous key, and strangers raise nothing (threat 100)', async () => {
    await inUse({ PROVIDER_PRIVATE_KEY: OTHER_KEY, PREVIOUS_PRIVATE_KEYS: oldKey }, async (at) => {
      await served(at.url, garbage)
      expect((await initialize(at.url, asset))[0]).toBe(200)
      await download(at.url, asset, [200, undefined])
      expect(await initialize(at.url, garbage)).toEqual([400, 'FILES_UNREADABLE'])
      await eventually(async () => (await counted(at)) === '0')
    })
  })

  it('counts what was published before its first key, and nothing that is put into an old NFT later (threat 100)', async () => {
    const { chainId, providerUrl } = world.network
    const publisher = await world.somebody()
    /** Publishes a document in plain text: an encrypted one needs the key as well. */
    const publishPlain = async ({ nft, ddo }: Published, serviceEndpoint: string) => {
      const plain = { ...ddo, services: ddo.services.map((service) => ({ ...service, serviceEndpoint })) }
      const text = JSON.stringify(plain)
      const [data, hash] = [`0x${Buffer.from(text).toString('hex')}`, `0x${ocean.getHash(text)}`]
      const contract = new ocean.Nft(publisher, chainId)
      await world.indexed(await mined(contract.setMetadata(nft, publisher.address, 0, '', '', '0x00', data, hash)))
    }
    const honest = await world.publish({ files: [], publisher })
    const strange = await world.publish({ files: [], publisher })
    await publishPlain(honest, providerUrl)
    await publishPlain(strange, 'https://other.example')
    const { timestamp } = await world.provider.getBlock('latest')
    // blocks that follow each other fast have times ahead of the clock
    await eventually(() => Date.now() / 1000 > timestamp + 1)
    const fresh = { PROVIDER_PRIVATE_KEY: OTHER_KEY, STATE_DIR: join(folder, 'fresh') }
    const app = await createApp(loadSettings(settings(fresh)))
    try {
      const url = await app.listen()
      for (const one of [honest, strange]) await served(url, one)
      await publishPlain(strange, providerUrl)
      await eventually(async () =>
        (await ask(`${url}/api/aquarius/assets/ddo/${strange.did}`)).text.includes(providerUrl),
      )
      expect(await initialize(url, honest)).toEqual(MISSING)
      expect(await initialize(url, strange)).toEqual([400, 'FILES_UNREADABLE'])
    } finally {
      await app.close()
    }
    const { stdout } = await runHere(['doctor'], settings(fresh))
    expect(stdout).toMatch(new RegExp(`^FAIL .* 1 asset\\(s\\) need a key that is missing: ${honest.did}$`, 'm'))
  })

  it('learns its endpoint from most assets, not from one with many services (threat 100)', async () => {
    await world.publish({
      files: [],
      adjust: (ddo) => {
        const [service] = ddo.services
        const serviceEndpoint = 'https://elsewhere.example'
        ddo.services = Array.from({ length: 20 }, (_, at) => ({ ...service, id: `a${at}`, serviceEndpoint })) as never
      },
    })
    const unnamed = (more: NodeJS.ProcessEnv) => {
      const { PUBLIC_URL: _, ...others } = settings({ STATE_DIR: join(folder, 'unnamed'), ...more })
      return others
    }
    const app = await createApp(loadSettings(unnamed({})))
    await app.listen()
    await eventually(async () => (await app.context.store.milestones.recorded('provider endpoint ')).length > 0)
    await app.close()
    const { stdout } = await runHere(['doctor'], unnamed({ PROVIDER_PRIVATE_KEY: OTHER_KEY }))
    expect(stdout).toMatch(new RegExp(`^FAIL .*need a key that is missing.*${asset.did}`, 'm'))
  })

  it('does not sell anew what was ordered by a quote of the missing key (threat 100)', async () => {
    const { publicKey } = providerKey(OTHER_KEY)
    // an asset whose files were encrypted anew, and an order from before
    const moved = await world.publish({
      files: [],
      adjust: (ddo) => {
        const [service] = ddo.services
        const { nftAddress } = ddo
        const files = [{ type: 'url', url: `${world.storage.origin}/a.csv`, method: 'GET' }]
        const own = { nftAddress, datatokenAddress: service?.datatokenAddress, files }
        const encrypted = encrypt(publicKey, Buffer.from(JSON.stringify(own)))
        if (service) service.files = `0x${encrypted.toString('hex')}`
      },
    })
    const before = world.local.app.context.chains.get(world.network.chainId) as Chain
    const terms = { datatoken: moved.datatoken as Address, serviceId: 'tide-access', environment: null, validUntil: 0 }
    const fee = quoteFee(before, { ...terms, now: Math.floor(Date.now() / 1000) }) as unknown as ProviderFees
    await acquire(world.network, moved, buyer)
    const ordered = await order(world.network, moved, buyer, fee)
    // the document itself is encrypted to the old key, and indexed while that is known
    const both = { PROVIDER_PRIVATE_KEY: OTHER_KEY, PREVIOUS_PRIVATE_KEYS: oldKey }
    await inUse(both, ({ url }) => served(url, moved))
    await inUse({ PROVIDER_PRIVATE_KEY: OTHER_KEY }, async ({ url }) => {
      await served(url, moved)
      expect(await initialize(url, moved, ordered)).toEqual(MISSING)
      expect((await initialize(url, moved))[0]).toBe(200)
    })
  })
})
