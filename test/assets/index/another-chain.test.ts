import type { Wallet } from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../helpers/eventually.js'
import { ask } from '../../helpers/requests.js'
import { RpcProxy } from '../../helpers/rpc-proxy.js'
import { World } from '../../helpers/world.js'

const REFUSED = { code: -32000, message: 'not now' }
const REORG_DEPTH = 5

/** Gives the index nothing to read, and all else. */
const stuck = (method: string, [filter]: unknown[]) =>
  method === 'eth_getLogs' && !/^0x\w{40}$/.test(String((filter as { address?: unknown }).address))
    ? REFUSED
    : undefined

describe('an index whose nodes do not know what it has read', () => {
  let world: World
  let proxy: RpcProxy
  let publisher: Wallet
  beforeAll(async () => {
    const settings = { READY_MAX_AGE: '1500', INDEX_REORG_DEPTH: String(REORG_DEPTH), INDEX_POLL_INTERVAL: '50' }
    world = await World.start(settings, async (rpcUrl) => {
      proxy = await RpcProxy.before(rpcUrl)
      return [proxy.url]
    })
    publisher = await world.somebody()
  })
  afterAll(async () => {
    await world.close()
    proxy.close()
  })
  afterEach(async () => {
    proxy.lie = (_, truth) => truth
    proxy.refuse = () => undefined
    await eventually(async () => (await ready()).status === 200)
  })

  const ready = () => ask(`${world.network.providerUrl}/ready`)
  const chain = async () => ((await ready()).json.chains as Record<string, unknown>[])[0]
  const publish = () => world.publishUrl(world.storage.file('/a.csv', Buffer.from('tide')), { publisher })
  const document = async (did: string) =>
    (await ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${did}`)).status
  const readings = () => world.local.app.context.store.index.readings(world.network.chainId)

  const headers = (answer: (truth: object) => unknown) => (method: string, truth: unknown) =>
    method === 'eth_getBlockByNumber' && truth ? answer(truth as object) : truth

  it.each<[string, (method: string, truth: unknown) => unknown]>([
    ['answers null', headers(() => null)],
    [
      'has a lower head',
      (method, truth) => (method === 'eth_blockNumber' ? '0x1' : headers(() => null)(method, truth)),
    ],
    [
      'has no block but the first',
      (method, truth) => (method === 'eth_blockNumber' ? '0x0' : headers(() => null)(method, truth)),
    ],
    ['leaves the hash out', headers((truth) => ({ ...truth, hash: undefined }))],
    ['gives no hash', headers((truth) => ({ ...truth, hash: '0x' }))],
  ])('loses nothing to one that %s, is not ready, and goes on from where it was (threat 75)', async (_name, lie) => {
    const asset = await publish()
    const before = (await readings()).live
    proxy.forget()
    proxy.lie = lie
    // what is believed for as long as the head is not too old is served meanwhile
    await eventually(async () => {
      expect((await readings()).live).toEqual(before)
      return (await ready()).status === 503
    })
    expect(proxy.calls).toContain('eth_getBlockByNumber')
    expect(await world.local.app.context.store.index.asset(asset.did)).toBeDefined()
    proxy.lie = (_, truth) => truth
    await eventually(async () => (await ready()).status === 200)
    expect(await readings()).toMatchObject({ live: { id: before?.id }, old: false })
    expect((await readings()).next).toBeUndefined()
    expect(await document(asset.did)).toBe(200)
    expect(await document((await publish()).did)).toBe(200)
  })

  it('serves from the chain, by one that answers null for blocks, what it was asked for (threat 75)', async () => {
    const asset = await publish()
    proxy.lie = headers(() => null)
    await eventually(async () => (await ready()).status === 503)
    expect(await document(asset.did)).toBe(200)
  })

  it('goes on with what it has while another history is read, and puts that in its place when it is complete (threat 75)', async () => {
    const kept = await publish()
    await world.rpc('anvil_mine', ['0x3'])
    const lost = await publish()
    await world.rpc('anvil_mine', [`0x${(REORG_DEPTH + 8).toString(16)}`])
    const { blockNumber } = await world.provider.getTransactionReceipt(lost.txId)
    const head = await world.provider.getBlockNumber()
    await world.indexedTo(head)
    const before = (await readings()).live
    proxy.refuse = stuck
    await world.rpc('anvil_reorg', [head - blockNumber + 1, []])
    await eventually(async () => (await readings()).next !== undefined)
    expect(await chain()).toMatchObject({ astray: true, ready: false })
    // read from the chain, since what the index has is of another one
    expect(await document(kept.did)).toBe(200)
    expect((await readings()).live).toEqual(before)
    proxy.refuse = () => undefined
    await eventually(async () => (await ready()).status === 200)
    const { live, next } = await readings()
    expect([live?.id === before?.id, next]).toEqual([false, undefined])
    expect([await document(kept.did), await document(lost.did)]).toEqual([200, 404])
    await eventually(async () => !(await readings()).old)
    expect(await document((await publish()).did)).toBe(200)
  })

  it('gives a new reading up where the node had another hash for a moment alone (threat 75)', async () => {
    const asset = await publish()
    const before = (await readings()).live
    proxy.lie = headers((truth) => ({ ...truth, hash: `0x${'ab'.repeat(32)}` }))
    await eventually(async () => (await readings()).next !== undefined)
    expect((await readings()).live).toEqual(before)
    proxy.lie = (_, truth) => truth
    await eventually(async () => (await ready()).status === 200 && !(await readings()).next)
    expect((await readings()).live?.id).toBe(before?.id)
    expect(await document(asset.did)).toBe(200)
  })
})
