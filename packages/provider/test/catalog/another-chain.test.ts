import type { Wallet } from 'ethers'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { withLimits } from '../../../../test/helpers/limits.js'
import { ask } from '../../../../test/helpers/requests.js'
import type { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { World } from '../../../../test/helpers/world.js'
import { CHAIN_LIMITS } from '../../../chain/src/limits.js'

const REFUSED = { code: -32000, message: 'not now' }
const REORG_DEPTH = 5

/** Refuses the event logs that the index reads, and answers everything else. */
const stuck = (method: string, [filter]: unknown[]) =>
  method === 'eth_getLogs' && !/^0x\w{40}$/.test(String((filter as { address?: unknown }).address))
    ? REFUSED
    : undefined

describe('an index whose nodes do not know the blocks it has read', () => {
  withLimits(CHAIN_LIMITS, ({ confirmation }) => {
    // deep blocks are final at once
    Object.assign(confirmation, { age: 0, blocks: 1 })
  })
  let world: World
  let proxy: RpcProxy
  let publisher: Wallet
  beforeAll(async () => {
    const settings = { READY_MAX_AGE: '1000', INDEX_REORG_DEPTH: String(REORG_DEPTH), INDEX_POLL_INTERVAL: '50' }
    ;({ world, proxy } = await World.behindProxy(settings))
    publisher = await world.somebody()
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    proxy.lie = (_, truth) => truth
    proxy.refuse = () => undefined
    await eventually(async () => (await ready()).status === 200)
  })

  const ready = () => ask(`${world.network.providerUrl}/ready`)
  const chain = async () => ((await ready()).json.chains as Record<string, unknown>[])[0]
  const publish = () => world.publishUrl(world.storage.file('/a.csv', Buffer.from('tide')), { publisher })
  const document = async (did: string) =>
    (await ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${did}`)).status
  const index = () => world.local.app.context.store.index
  const readings = () => index().generations(world.network.chainId)

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
  ])('keeps all rows when the node %s, is not ready meanwhile, and continues from its cursor (threat 75)', async (_name, lie) => {
    const asset = await publish()
    const before = (await readings()).live
    // a rebuild that is started and abandoned would leave no trace in the end
    const begun = vi.spyOn(index(), 'begin')
    const wentBack = vi.spyOn(index(), 'rollback')
    proxy.forget()
    proxy.lie = lie
    // assets are still served until the head is stale
    await eventually(async () => {
      expect((await readings()).live).toEqual(before)
      return (await ready()).status === 503 && proxy.calls.includes('eth_getBlockByNumber')
    })
    expect(await index().asset(asset.did)).toBeDefined()
    // only its age makes it not ready, for as long as the node answers like this
    proxy.forget()
    await eventually(() => proxy.calls.filter((method) => method === 'eth_getBlockByNumber').length >= 1)
    expect(await chain()).toMatchObject({ ready: false, astray: false, rereading: null })
    expect((await readings()).live).toEqual(before)
    proxy.lie = (_, truth) => truth
    await eventually(async () => (await ready()).status === 200)
    expect(await readings()).toMatchObject({ live: { id: before?.id }, old: false })
    expect((await readings()).next).toBeUndefined()
    expect([begun, wentBack].map(({ mock }) => mock.calls)).toEqual([[], []])
    expect(await document(asset.did)).toBe(200)
    expect(await document((await publish()).did)).toBe(200)
  })

  it('resolves assets from the chain while the node answers null for blocks (threat 75)', async () => {
    const asset = await publish()
    proxy.lie = headers(() => null)
    await eventually(async () => (await ready()).status === 503)
    expect(await document(asset.did)).toBe(200)
  })

  it('keeps serving while it reads another history, and replaces the old rows when that is complete (threat 75)', async () => {
    const kept = await publish()
    await world.rpc('anvil_mine', ['0x3'])
    const lost = await publish()
    await world.rpc('anvil_mine', [`0x${(REORG_DEPTH + 8).toString(16)}`])
    const { blockNumber } = await world.provider.getTransactionReceipt(lost.txId)
    const head = await world.provider.getBlockNumber()
    await world.indexedTo(head)
    const before = (await readings()).live
    proxy.refuse = stuck
    await world.reorganise(head - blockNumber + 1)
    await eventually(async () => (await readings()).next !== undefined)
    expect(await chain()).toMatchObject({ astray: true, ready: false })
    // read from the chain, since the rows of the index belong to another one
    expect(await document(kept.did)).toBe(200)
    expect((await readings()).live).toEqual(before)
    proxy.refuse = () => undefined
    await eventually(async () => (await ready()).status === 200)
    const { live, next } = await readings()
    expect([live?.id === before?.id, next]).toEqual([false, undefined])
    // while the head is older than it may be, no response says that there is no such asset
    await eventually(async () => (await document(lost.did)) === 404)
    expect(await document(kept.did)).toBe(200)
    await eventually(async () => !(await readings()).old)
    expect(await document((await publish()).did)).toBe(200)
  })

  it('abandons the rebuild when the node returned another hash only temporarily (threat 75)', async () => {
    const asset = await publish()
    const before = (await readings()).live
    proxy.lie = headers((truth) => ({ ...truth, hash: `0x${'ab'.repeat(32)}` }))
    await eventually(async () => (await readings()).next !== undefined)
    expect((await readings()).live).toEqual(before)
    proxy.lie = (_, truth) => truth
    await eventually(async () => (await ready()).status === 200 && !(await readings()).next)
    expect((await readings()).live?.id).toBe(before?.id)
    // where some of the checkpoints were asked for before it told the truth, the last blocks are read again
    await eventually(async () => (await document(asset.did)) === 200)
  })
})
