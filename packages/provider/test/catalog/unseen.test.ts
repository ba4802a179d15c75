import type { Wallet } from 'ethers'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { publish } from '../../../../test/helpers/publish.js'
import { type Answer, ask, downloadParams } from '../../../../test/helpers/requests.js'
import type { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { World } from '../../../../test/helpers/world.js'
import type { DocumentReader } from '../../../catalog/src/documents.js'
import { currentAssets } from '../../../catalog/src/index/current.js'
import { isCurrent } from '../../../catalog/src/index/freshness.js'
import type { Chain } from '../../../chain/src/chains.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import { StaleIndexError } from '../../../protocol/src/errors.js'

/** The methods that a node without data answers with null. */
const UNKNOWN = new Set(['eth_getBlockByNumber', 'eth_getTransactionReceipt', 'eth_getLogs', 'eth_call'])

describe('an index that has not read anything', () => {
  const settings = { READY_MAX_LAG: 100, READY_MAX_AGE: 60_000, INDEX_POLL_INTERVAL: 5000 }
  const progress = { chainId: 1, head: 9, age: 0, astray: false, rereading: null, paused: false }

  it('is not current, unless there is nothing to read', () => {
    expect(isCurrent({ ...progress, block: null, lag: 10 }, settings)).toBe(false)
    expect(isCurrent({ ...progress, block: null, lag: 0 }, settings)).toBe(true)
    expect(isCurrent({ ...progress, block: 1, lag: 8 }, settings)).toBe(true)
  })
})

describe('a DID that is not in the index', () => {
  const assets = (current: number[], reached = true) =>
    currentAssets({
      index: { asset: async () => undefined, cursor: async () => undefined },
      chains: new Map([1, 2].map((chainId) => [chainId, { nodes: { reached } } as Chain])),
      documents: {} as DocumentReader,
      isCurrent: (chainId) => current.includes(chainId),
      isAstray: () => false,
      ttl: 1,
      deadline: 1,
    })
  const did = didOf(`0x${'12'.repeat(20)}`, 1)

  it('is reported as unknown only when every chain is current, or for publishers when one is', () => {
    expect(() => assets([1, 2]).assertAbsent(did)).not.toThrow()
    expect(() => assets([1]).assertAbsent(did)).toThrow(StaleIndexError)
    expect(() => assets([1]).assertAbsent(did, { anyCurrent: true })).not.toThrow()
    expect(() => assets([]).assertAbsent(did, { anyCurrent: true })).toThrow(StaleIndexError)
    expect(() => assets([]).assertAbsent(did)).toThrow(expect.objectContaining({ code: 'CHAIN_UNAVAILABLE' }))
    expect(() => assets([], false).assertAbsent(did)).toThrow(expect.objectContaining({ code: 'CHAIN_NOT_READY' }))
  })
})

describe('an asset that the index does not know', () => {
  let world: World
  let proxy: RpcProxy
  let publisher: Wallet
  beforeAll(async () => {
    ;({ world, proxy } = await World.behindProxy({ READY_MAX_AGE: '1500', INDEX_POLL_INTERVAL: '50' }))
    publisher = await world.somebody()
  })
  afterEach(async () => {
    proxy.lie = (_, truth) => truth
    await eventually(async () => (await get('/ready')).status === 200)
  })

  const get = (path: string) => ask(world.network.providerUrl + path)
  const document = (did: string) => get(`/api/aquarius/assets/ddo/${did}`)
  const initialize = (did: string): Promise<Answer> => {
    const asked = { documentId: did, serviceId: 'tide-access', consumerAddress: publisher.address }
    return get(`/api/services/initialize?${new URLSearchParams(asked)}`)
  }
  const allNull = async () => {
    proxy.lie = (method, truth) => (UNKNOWN.has(method) ? null : truth)
    await eventually(async () => (await get('/ready')).status === 503)
  }

  it('is not reported as unknown while every node answers null, and is served when they recover', async () => {
    await allNull()
    const files = [{ type: 'url', url: world.storage.file('/a.csv', Buffer.from('tide')), method: 'GET' }]
    const asset = await publish({ network: world.network, publisher, files })
    const unavailable = { status: 502, json: { code: 'CHAIN_UNAVAILABLE' } }
    const params = await downloadParams(asset, `0x${'ab'.repeat(32)}`, publisher)
    expect(await initialize(asset.did)).toMatchObject(unavailable)
    expect(await get(`/api/services/download?${params}`)).toMatchObject(unavailable)
    expect(await document(asset.did)).toMatchObject(unavailable)
    proxy.lie = (_, truth) => truth
    await eventually(async () => (await initialize(asset.did)).status === 200)
    expect((await document(asset.did)).status).toBe(200)
  })

  it('is reported as unknown when the index is current, and always when its DID is malformed', async () => {
    const did = didOf(`0x${'12'.repeat(20)}`, world.network.chainId)
    const unknown = { status: 400, json: { code: 'DID_NOT_RESOLVED' } }
    // on a busy machine the index is stale now and then
    await eventually(async () => (await initialize(did)).json.code === 'DID_NOT_RESOLVED')
    await eventually(async () => (await document(did)).status === 404)
    await allNull()
    expect(await initialize('did:op:7')).toMatchObject(unknown)
    expect((await document('did:op:7')).status).toBe(404)
  })
})
