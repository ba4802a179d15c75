import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTidegate, type Tidegate } from '@tidegate/client'
import { createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { type Dev, startDevHere } from '../../../test/helpers/dev.js'
import { rpcClient } from '../../chain/src/rpc/clients.js'
import { CATALOGUE } from '../src/seed/catalogue.js'

const folder = newFolder()
const notes = () => JSON.parse(readFileSync(join(folder, 'seed.json'), 'utf8')) as { assets: Record<string, string> }
let dev: Dev

const clientOf = (account: number): Tidegate => {
  const { providerUrl: url, rpcUrl, accounts } = dev.facts
  const key = accounts[account]?.privateKey as Hex
  return createTidegate({
    url,
    rpcUrl,
    wallet: createWalletClient({ account: privateKeyToAccount(key), transport: http(rpcUrl) }),
  })
}
const didOf = (key: string) => notes().assets[key] as string
/** The buyer of each order. */
const buyersOf = ({ orders }: (typeof CATALOGUE)[number]) =>
  Object.entries(orders).flatMap(([buyer, days]) => days.map(() => Number(buyer)))
const isForSale = ({ retired }: (typeof CATALOGUE)[number]) => retired === undefined

/** Whether a file is what it says that it is. */
const MAGIC: Record<string, RegExp> = {
  'image/png': /^.PNG\r\n.*IEND/s,
  'application/pdf': /^%PDF-1\.4\n.*%%EOF\n$/s,
  'text/csv': /^[a-z_\d,]+\n[^\n]+,/,
  'application/json': /^[[{]/,
  'application/geo+json': /^\{\s+"type": "FeatureCollection"/,
  'text/plain': /^\w/,
}

beforeAll(async () => {
  dev = await startDevHere(['--seed', '--state', folder])
  // some hundred transactions and requests, in sequence
}, 600_000)

describe('tidegate dev --seed', () => {
  it('is ready when its index has read all that was done', async () => {
    const ready = await fetch(`${dev.facts.providerUrl}/ready`)
    const { chains } = (await ready.json()) as { chains: { block: number }[] }
    expect(chains[0]?.block).toBe(Number(await rpcClient(new URL(dev.facts.rpcUrl)).getBlockNumber()))
  })

  it('publishes assets of several publishers, kinds, prices and licences, each as the catalogue says', async () => {
    const { assets, total } = await clientOf(0).search({ size: 50 })
    const offered = CATALOGUE.filter(isForSale)
    expect(total).toBe(offered.length)
    expect(assets.map(({ name }) => name).sort()).toEqual(offered.map(({ name }) => name).sort())
    expect(new Set(assets.map(({ owner }) => owner)).size).toBeGreaterThanOrEqual(4)
    const client = clientOf(0)
    for (const sample of offered) {
      const asset = await client.asset(didOf(sample.key))
      const { price, license, tags, timeout } = sample
      expect(asset, sample.key).toMatchObject({ license, tags, state: 'active' })
      expect(asset.orders, sample.key).toBe(buyersOf(sample).length)
      const [service] = asset.services
      expect(service?.timeout).toBe(timeout)
      if (price === 'free') expect(service?.price).toMatchObject({ type: 'free', total: [] })
      else expect(service?.price.datatoken?.token).toBe(dev.facts.addresses[price.token])
      expect(
        service?.files.every(({ available }) => available),
        sample.key,
      ).toBe(true)
      expect(service?.files.length).toBe('served' in sample.from ? sample.from.served.length : service?.files.length)
    }
    const [stations] = (await client.asset(didOf('stations'))).services
    expect(stations?.price.datatoken?.decimals).toBe(6)
    expect((await client.asset(didOf('old tide tables'))).state).toBe('retired')
  })

  it('has a history of orders, none of them in the future', async () => {
    // orders of assets that are not for sale are not listed
    const buyers = CATALOGUE.filter(isForSale).flatMap(buyersOf)
    const started: number[] = []
    for (const buyer of new Set(buyers))
      started.push(...(await clientOf(buyer).orders()).map((order) => order.started.getTime()))
    expect(started.length).toBe(buyers.length)
    const days = started.map((time) => (Date.now() - time) / 86_400_000)
    expect(Math.min(...days)).toBeGreaterThan(0)
    expect(Math.max(...days)).toBeGreaterThan(50)
    expect(new Set(days.map(Math.floor)).size).toBeGreaterThan(30)
  })

  it('sells files that are what they say', async () => {
    const buyer = clientOf(0)
    for (const key of [
      'map of the harbour',
      'sea temperature',
      'logbook',
      'supply',
      'wave buoy',
      'channel survey',
      'stations',
    ]) {
      const { order } = await buyer.buy(didOf(key))
      const downloaded = await buyer.download(didOf(key), { order })
      const type = (downloaded.contentType ?? '').replace(/;.*/, '')
      const bytes = Buffer.from(await (await downloaded.blob()).arrayBuffer())
      if (key !== 'supply') expect(bytes.toString('latin1'), key).toMatch(MAGIC[type] as RegExp)
      else expect(bytes.toString()).toMatch(/^"?\d+"?$/)
      const sample = CATALOGUE.find((one) => one.key === key)
      const hosted = sample && 'hosted' in sample.from ? sample.from.hosted[0] : undefined
      if (hosted) expect(downloaded.sha256).toBe(createHash('sha256').update(hosted.content).digest('hex'))
    }
    await expect(buyer.buy(didOf('ship movements'))).rejects.toMatchObject({ name: 'TidegateError' })
  })

  it('goes on where it was: another start on the same state publishes nothing again', async () => {
    const before = notes()
    await dev.stop()
    dev = await startDevHere(['--seed', '--state', folder])
    expect(notes()).toEqual(before)
    const client = clientOf(0)
    expect((await client.search()).total).toBe(CATALOGUE.filter(isForSale).length)
    const [service] = (await client.asset(didOf('water levels'))).services
    expect(service?.files.filter(({ available }) => available)).toHaveLength(31)
  })
})
