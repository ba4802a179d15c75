import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTidegate } from '@tidegate/client'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../../../../test/helpers/command-here.js'
import { acquire, order } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask } from '../../../../test/helpers/requests.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { World } from '../../../../test/helpers/world.js'
import { walletFor } from '../world.js'
import { Market } from './market.js'

const DAY = 86_400
let world: World
let market: Market
const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))

beforeAll(async () => {
  world = await World.start()
  market = new Market(world)
})
afterAll(async () => {
  await world?.close()
  rmSync(folder, { recursive: true })
})

describe('a quote with a time far from that of the chain', () => {
  it('is not paid (threat 99)', async () => {
    const { did } = await market.sale({ price: 'free' })
    const { tidegate, signer } = await market.person()
    // the chain, as it appears to a provider whose clock is two days slow
    const proxy = await RpcProxy.before(world.network.rpcUrl)
    proxy.lie = (method, truth) => {
      const block = truth as { timestamp?: string }
      if (method !== 'eth_getBlockByNumber' || !block?.timestamp) return truth
      return { ...block, timestamp: `0x${(Number(block.timestamp) + 2 * DAY).toString(16)}` }
    }
    try {
      const publicClient = createPublicClient({ transport: http(proxy.url) })
      const late = createTidegate({ url: world.network.providerUrl, wallet: walletFor(world, signer), publicClient })
      const before = await world.provider.getTransactionCount(signer.address)
      await expect(late.buy(did)).rejects.toMatchObject({ code: 'QUOTE_TIME_WRONG', transactions: [] })
      await expect(late.quote(did)).rejects.toMatchObject({ code: 'QUOTE_TIME_WRONG' })
      expect(await world.provider.getTransactionCount(signer.address)).toBe(before)
    } finally {
      proxy.close()
    }
    expect(await tidegate.buy(did)).toMatchObject({ reused: false })
  })
})

describe('an unusable order', () => {
  it('is never called valid (threat 99)', async () => {
    const { providerUrl, rpcUrl } = world.network
    const good = await market.sale({ price: 'free' })
    const bad = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tides')))
    const { tidegate, signer, address } = await market.person()
    const bought = await tidegate.buy(good.did)
    const fee = await world.quote(bad, address)
    await world.rpc('evm_setNextBlockTimestamp', [Math.floor(Date.now() / 1000) + 2 * DAY])
    const buyer = signer.connect(world.provider)
    await acquire(world.network, bad, buyer)
    const lost = await order(world.network, bad, buyer, fee)

    const found = await tidegate.orders()
    expect(found.find(({ tx }) => tx === lost)?.refused).toMatch(/quote had expired/)
    expect(found.find(({ tx }) => tx === bought.order)?.refused).toBeUndefined()
    await eventually(async () => (await ask(`${providerUrl}/ready`)).status === 503)
    for (const attempt of [
      () => tidegate.quote(bad.did),
      () => tidegate.buy(bad.did),
      () => tidegate.download(bad.did),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'CLOCK_WRONG' })
    expect(await tidegate.quote(good.did)).toMatchObject({ order: bought.order })

    const command = (...words: string[]) =>
      runHere([...words, '--provider', providerUrl, '--rpc', rpcUrl], {
        ...{ HOME: folder, TIDEGATE_PRIVATE_KEY: signer.privateKey },
      })
    const listed = await command('orders', address)
    expect([listed.status, listed.stdout]).toEqual([
      0,
      expect.stringContaining('cannot be used: Its quote had expired'),
    ])
    for (const words of [
      ['quote', bad.did],
      ['buy', bad.did, '--yes'],
      ['get', bad.did, '--yes', '-o', '-'],
    ]) {
      const { status, stdout, stderr } = await command(...words)
      expect([status === 0, stderr]).toEqual([false, expect.stringContaining('clock of this provider is wrong')])
      expect(stdout + stderr).not.toContain('valid')
    }
  })
})
