import { ethers, type Wallet } from 'ethers'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadUrl } from '../../../../test/helpers/requests.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { World } from '../../../../test/helpers/world.js'

const WAIT = 3000

describe('node requests of refused downloads', () => {
  let world: World
  let node: RpcProxy
  let asset: Published
  let buyer: Wallet
  /** Whether the node withholds receipts. */
  let hidden = false

  beforeAll(async () => {
    world = await World.start({ ORDER_WAIT: String(WAIT) }, async (rpcUrl) => {
      node = await RpcProxy.before(rpcUrl)
      node.lie = (method, truth) => (hidden && method === 'eth_getTransactionReceipt' ? null : truth)
      return [node.url]
    })
    asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tide')))
    buyer = await world.somebody()
  })
  beforeEach(() => {
    hidden = false
  })

  const url = async (txId: string, by = buyer) => await downloadUrl(world.network.providerUrl, asset, txId, by)
  /** The number of receipts requested since the last `forget`. */
  const looks = () => node.calls.filter((method) => method === 'eth_getTransactionReceipt').length
  const somewhere = () => ethers.utils.hexlify(ethers.utils.randomBytes(32))

  it('30 concurrent requests for an unknown order share one wait (threat 58)', async () => {
    const unknown = await url(somewhere())
    node.forget()
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(unknown)))
    expect(new Set(answers.map(({ json }) => json.code))).toEqual(new Set(['ORDER_NOT_FOUND']))
    // at 0, 0.25, 0.75 and 1.75 s, and at the end; fewer if the machine stands still meanwhile
    expect(looks()).toBeLessThanOrEqual(6)
    expect(looks()).toBeGreaterThanOrEqual(2)
  })

  it('a repeated request is refused at once, with at most one chain request in two seconds (threat 58)', async () => {
    const unknown = await url(somewhere())
    expect((await ask(unknown)).json.code).toBe('ORDER_NOT_FOUND')
    node.forget()
    const find = vi.spyOn(world.local.app.context.receipts, 'find')
    const begun = performance.now()
    for (let at = 0; at < 40; at++) expect((await ask(unknown)).json.code).toBe('ORDER_NOT_FOUND')
    const took = performance.now() - begun
    // after each wait, none is allowed for as long again
    const waits = find.mock.calls.filter(([, , wait]) => wait > 0).length
    expect(waits).toBeLessThanOrEqual(1 + took / (2 * WAIT))
    expect(looks()).toBeLessThanOrEqual(2 + took / 2000)
    find.mockRestore()
  })

  it('initialize does not look up an unknown order more often (threat 58)', async () => {
    const about = { documentId: asset.did, serviceId: 'tide-access', consumerAddress: buyer.address }
    const query = new URLSearchParams({ ...about, transferTxId: somewhere() })
    node.forget()
    const begun = performance.now()
    for (let at = 0; at < 20; at++) {
      const { json } = await ask(`${world.network.providerUrl}/api/services/initialize?${query}`)
      expect(json).toHaveProperty('providerFee')
    }
    expect(looks()).toBeLessThanOrEqual(3 + (performance.now() - begun) / 2000)
  })

  it('a transaction that is not an order is read once (threat 58)', async () => {
    const none = await (await buyer.sendTransaction({ to: buyer.address })).wait()
    const refused = await url(none.transactionHash)
    node.forget()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(refused)))
    for (let at = 0; at < 20; at++) answers.push(await ask(refused))
    expect(new Set(answers.map(({ json }) => json.code))).toEqual(new Set(['ORDER_NO_EVENT']))
    expect(looks()).toBeLessThanOrEqual(2)
  })

  it('control: a consumer who waits or retries gets the file soon after the order was mined (threat 58)', async () => {
    // again with another order if the machine stands still for a whole wait
    await eventually(async () => {
      const txId = await world.order(asset, buyer)
      hidden = true
      node.forget()
      const waiting = url(txId).then(ask)
      await eventually(() => looks() >= 2)
      hidden = false
      return (await waiting).text === 'tide'
    })

    const second = await world.order(asset, buyer)
    hidden = true
    const signed = await url(second)
    expect((await ask(signed)).json.code).toBe('ORDER_NOT_FOUND')
    for (let at = 0; at < 5; at++) expect((await ask(signed)).json.code).toBe('ORDER_NOT_FOUND')
    hidden = false
    await eventually(async () => (await ask(signed)).text === 'tide', undefined, 100)
  })

  it('control: a wait that timed out does not end the waits of others (threat 58)', async () => {
    const friend = await world.somebody()
    // again with another order if the machine stands still for a whole wait
    await eventually(async () => {
      const txId = await world.order(asset, buyer, friend.address)
      hidden = true
      expect((await ask(await url(txId))).json.code).toBe('ORDER_NOT_FOUND')
      const waiting = url(txId, friend).then(ask)
      node.forget()
      await eventually(() => looks() >= 1)
      hidden = false
      return (await waiting).text === 'tide'
    })
  })

  it('a client that disconnects ends only its own wait (threat 58)', async () => {
    const txId = await world.order(asset, buyer)
    hidden = true
    const signed = await url(txId)
    const gone = new AbortController()
    const left = Array.from({ length: 5 }, () => ask(signed, { signal: gone.signal }).catch(() => 'left'))
    node.forget()
    await eventually(() => looks() >= 1)
    const staying = ask(signed)
    gone.abort()
    expect(await Promise.all(left)).toEqual(Array(5).fill('left'))
    await eventually(() => looks() >= 2)
    hidden = false
    expect((await staying).text).toBe('tide')

    // once nobody waits, no more requests are sent
    hidden = true
    const alone = new AbortController()
    const abandoned = url(somewhere()).then((one) => ask(one, { signal: alone.signal }).catch(() => 'left'))
    node.forget()
    await eventually(() => looks() >= 1)
    alone.abort()
    expect(await abandoned).toBe('left')
    await eventually(() => world.local.app.context.receipts.awaited === 0)
    node.forget()
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(looks()).toBe(0)
  })
})
