import { createHmac, randomBytes } from 'node:crypto'
import { ethers, type Wallet } from 'ethers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { startInstance } from '../../../../test/helpers/instance.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadParams, downloadUrl, freshNonce, served, signText } from '../../../../test/helpers/requests.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { jsonBody, StorageServer } from '../../../../test/helpers/storage-server.js'
import { World } from '../../../../test/helpers/world.js'
import { ARTIFACTS, artifact } from '../../../dev-network/src/contracts.js'
import { createApp } from '../../src/app.js'

const CONTENT = randomBytes(300_000)
const SECRETS = ['old', 'new'].map((name) => name.padEnd(32, '.'))

/** Proofs of delivery, to a receiver and to the datatoken itself. */
describe('proof of delivery', () => {
  let world: World
  let receiver: StorageServer
  let proxy: RpcProxy
  let asset: Published
  let buyer: Wallet
  let txId: string
  let received: Record<string, string>[] = []
  let status = 200

  beforeAll(async () => {
    receiver = await StorageServer.start()
    const url = receiver.on('/proof', async (request, response) => {
      const proof = await jsonBody<Record<string, string>>(request)
      if (status === 200) received.push(proof)
      response.writeHead(status).end()
    })
    world = await World.start({ USE_HTTP_PROOF: url, USE_CHAIN_PROOF: 'true' }, async (rpcUrl) => {
      proxy = await RpcProxy.before(rpcUrl)
      return [proxy.url]
    })
    await world.rpc('anvil_setBalance', [world.network.providerAddress, '0x56bc75e2d63100000'])
    ;({ asset, buyer, txId } = await world.sold(world.storage.file('/a.bin', CONTENT)))
  })
  beforeEach(() => {
    received = []
    status = 200
  })

  const queue = () => world.local.app.context.store.proofs
  const download = async (changed: Record<string, string | undefined> = {}, headers: Record<string, string> = {}) => {
    const params = await downloadParams(asset, txId, buyer, changed)
    return fetch(`${world.network.providerUrl}/api/services/download?${params}`, { headers })
  }
  async function onChain(): Promise<ethers.utils.Result[]> {
    const contract = new ethers.Contract(
      asset.datatoken,
      artifact(ARTIFACTS.ERC20Template).abi as never,
      world.provider,
    )
    const events = await contract.queryFilter(contract.filters.OrderExecuted?.() as ethers.EventFilter)
    return events.map(({ args }) => args as ethers.utils.Result)
  }

  /** The number of transactions that the provider has sent. */
  const transactions = () => world.provider.getTransactionCount(world.network.providerAddress)

  it('is sent after the last byte, with the byte count and both signatures, and the contract accepts it', async () => {
    const nonce = freshNonce()
    expect((await (await download({ nonce })).arrayBuffer()).byteLength).toBe(CONTENT.length)
    await eventually(async () => received.length === 1 && (await queue().count()) === 0)
    const [proof] = received as [Record<string, string>]
    expect(proof).toMatchObject({
      orderTxId: txId,
      providerData: JSON.stringify({ downloadedBytes: CONTENT.length }),
      consumerData: asset.did + nonce,
      consumerAddress: buyer.address,
    })
    const data = ethers.utils.hexConcat([txId, ethers.utils.toUtf8Bytes(proof.providerData as string)])
    const digest = ethers.utils.arrayify(ethers.utils.keccak256(data))
    expect(ethers.utils.verifyMessage(digest, proof.providerSignature as string)).toBe(world.network.providerAddress)
    const [event] = (await onChain()) as [ethers.utils.Result]
    expect(event).toMatchObject({
      providerAddress: world.network.providerAddress,
      consumerAddress: buyer.address,
      orderTxId: txId,
      providerData: ethers.utils.hexlify(ethers.utils.toUtf8Bytes(proof.providerData as string)),
      consumerSignature: proof.consumerSignature,
    })
  })

  it('reports the bytes of a range to the receiver; HEAD, broken transfers and refusals prove nothing', async () => {
    const before = (await onChain()).length
    expect((await download({}, { range: 'bytes=0-999' })).status).toBe(206)
    await eventually(() => received.length === 1)
    expect(received[0]?.providerData).toBe('{"downloadedBytes":1000}')

    const params = await downloadParams(asset, txId, buyer)
    const url = `${world.network.providerUrl}/api/services/download?${params}`
    await fetch(url, { method: 'HEAD' })
    expect((await download({ fileIndex: '7' })).status).toBe(400)
    expect((await download({}, { range: 'bytes=900000-' })).status).toBe(416)
    const broken = world.storage.on('/broken', (_request, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('x'.repeat(500), () => response.destroy())
    })
    const other = await world.publishUrl(broken)
    const order = await world.order(other, buyer)
    const breaking = await ask(await downloadUrl(world.network.providerUrl, other, order, buyer)).catch(() => 'broken')
    expect(breaking).toBe('broken')
    await eventually(async () => (await queue().count()) === 0)
    expect(received).toHaveLength(1)
    expect(await onChain()).toHaveLength(before)
  })

  it('is sent to the chain once per order and file, and never for ranges (threat 52)', async () => {
    const url = world.storage.file('/b.bin', CONTENT)
    const two = await world.publish({ files: ['a', 'b'].map(() => ({ type: 'url', url, method: 'GET' })) })
    const [first, second] = [await world.order(two, buyer), await world.order(two, buyer)]
    const before = await transactions()
    const get = async (order: string, fileIndex: string, range?: string) => {
      const params = await downloadParams(two, order, buyer, { fileIndex })
      const headers: Record<string, string> = range === undefined ? {} : { range: `bytes=${range}` }
      const answer = await fetch(`${world.network.providerUrl}/api/services/download?${params}`, { headers })
      await answer.arrayBuffer()
      return answer.status
    }
    const settled = () => eventually(async () => (await queue().count()) === 0)
    for (let part = 0; part < 12; part++) expect(await get(first, '0', `${part * 100}-${part * 100 + 99}`)).toBe(206)
    for (const range of ['1-', '0-299998']) expect(await get(first, '0', range)).toBe(206)
    await eventually(() => received.length === 14)
    await settled()
    expect(await transactions()).toBe(before)

    for (const range of [undefined, '0-', undefined, undefined]) await get(first, '0', range)
    await eventually(() => received.length === 18)
    await settled()
    expect(await transactions()).toBe(before + 1)
    // another file, another order, and a range that is the whole file
    for (const [order, file] of [
      [first, '1'],
      [second, '0'],
    ] as const)
      expect(await get(order, file, '0-')).toBe(206)
    await eventually(() => received.length === 20)
    await settled()
    expect(await transactions()).toBe(before + 3)
  })

  it('is sent with no nonce of a former transaction while a node counts fewer (threat 128)', async () => {
    const own = world.network.providerAddress.toLowerCase()
    const url = world.storage.file('/c.bin', CONTENT)
    const two = await world.publish({ files: ['a', 'b'].map(() => ({ type: 'url', url, method: 'GET' })) })
    const order = await world.order(two, buyer)
    const get = async (fileIndex: string) =>
      ask(
        `${world.network.providerUrl}/api/services/download?${await downloadParams(two, order, buyer, { fileIndex })}`,
      )
    const calls = (method: string) => proxy.calls.filter((one) => one === method).length
    const sent = (await transactions()) + 1
    await get('0')
    await eventually(async () => (await transactions()) === sent && (await queue().count()) === 0)
    const { forward } = proxy
    proxy.forward = async (method, params) =>
      method === 'eth_getTransactionCount' && String(params[0]).toLowerCase() === own
        ? { result: `0x${(sent - 1).toString(16)}` }
        : forward(method, params)
    proxy.forget()
    await get('1')
    await eventually(() => calls('eth_getTransactionCount') >= 2)
    expect(calls('eth_sendRawTransaction')).toBe(0)
    proxy.forward = forward
    await eventually(async () => (await transactions()) > sent && (await queue().count()) === 0)
    expect([await transactions(), calls('eth_sendRawTransaction')]).toEqual([sent + 1, 1])
  })

  it('is dropped above the daily limit, which logs and metrics report; the download continues (threat 52)', async () => {
    const folder = newFolder()
    const limited = await startHere(
      world.beside({ USE_CHAIN_PROOF: 'true', CHAIN_PROOFS_PER_DAY: '2', STATE_DIR: folder, METRICS_PORT: '0' }),
    )
    await served(limited.url, asset)
    const before = await transactions()
    const orders = [await world.order(asset, buyer), await world.order(asset, buyer), await world.order(asset, buyer)]
    const said = () => limited.said.filter(({ msg }) => msg?.includes('CHAIN_PROOFS_PER_DAY is used up'))
    for (const order of [...orders, ...orders]) {
      const { status } = await ask(await downloadUrl(limited.url, asset, order, buyer))
      expect(status).toBe(200)
    }
    await eventually(async () => said().length === 2 && (await transactions()) === before + 2)
    const metrics = /http:[^"]*/.exec(
      JSON.stringify(limited.said.find(({ msg }) => msg?.includes('metrics are served'))),
    )
    const { text } = await ask(`${metrics?.[0]}/metrics`)
    expect(text).toMatch(/^tidegate_proofs_refused_total 2$/m)
  })

  it('is sent to the receiver only for a download with a token, which has no signature for the contract', async () => {
    const before = (await onChain()).length
    const nonce = freshNonce()
    const signature = await signText(buyer, buyer.address + nonce)
    const expiration = Math.floor(Date.now() / 1000) + 600
    const query = new URLSearchParams({ address: buyer.address, nonce, signature, expiration: `${expiration}` })
    const { json } = await ask(`${world.network.providerUrl}/api/services/createAuthToken?${query}`)
    await (
      await download({ signature: undefined, nonce: undefined }, { AuthToken: json.token as string })
    ).arrayBuffer()
    await eventually(() => received.length === 1)
    expect(received[0]).toMatchObject({ consumerSignature: '', consumerData: '' })
    await eventually(async () => (await queue().count()) === 0)
    expect(await onChain()).toHaveLength(before)
  })

  it('survives kill -9 as an event of a webhook, with its id, and those of the past are never sent (threat 147)', async () => {
    const events: { id: string; type: string; data: Record<string, unknown> }[] = []
    let answer = 500
    const WEBHOOK_URL = receiver.on('/events', async (request, response) => {
      const { 'tidegate-signature': signature } = request.headers
      const event = await jsonBody<(typeof events)[number]>(request)
      const [, time, first, second] = /^t=(\d+),v1=(\w+),v1=(\w+)$/.exec(String(signature)) ?? []
      const signed = (secret: string) => createHmac('sha256', secret).update(`${time}.${JSON.stringify(event)}`)
      expect([first, second]).toEqual(SECRETS.map((secret) => signed(secret).digest('hex')))
      expect(Math.abs(Date.now() / 1000 - Number(time))).toBeLessThan(60)
      events.push(event)
      response.writeHead(answer).end()
    })
    const settings = world.beside({ WEBHOOK_URL, WEBHOOK_SECRET: SECRETS.join(','), STATE_DIR: newFolder() })
    const first = await startInstance(settings)
    await served(first.url, asset)
    const order = await world.order(asset, buyer)
    expect((await ask(await downloadUrl(first.url, asset, order, buyer))).status).toBe(200)
    const ids = () => [...new Set(events.map(({ id }) => id))].sort()
    await eventually(() => ids().length === 2)
    const [delivered, created] = ids()
    expect(created).toBe(`order.created:${world.network.chainId}:${order}:0`)
    const of = (id: string | undefined) => events.findLast((event) => event.id === id)
    const common = { did: asset.did, nftAddress: asset.nft, orderId: order, consumer: buyer.address }
    const ordered = { datatokenAddress: asset.datatoken, type: 'startOrder', serviceIndex: 0, position: 0 }
    expect(of(created)).toMatchObject({ type: 'order.created', data: { ...common, ...ordered } })
    const facts = { fileIndex: 0, bytes: CONTENT.length, whole: true }
    expect(of(delivered)).toMatchObject({ type: 'delivery.completed', data: { ...common, ...facts } })
    await first.end('SIGKILL')

    const before = events.length
    const again = await startHere(settings)
    await eventually(() => events.slice(before).some(({ id }) => id === created))
    await eventually(() => again.said.some(({ msg }) => msg?.includes('webhook failed')))
    answer = 204
    await eventually(() => again.said.some(({ msg }) => msg?.includes('webhooks arrive again')))
    await again.end()
    expect(again.said.filter(({ msg }) => msg?.includes('webhook failed'))).toHaveLength(1)
    expect(ids()).toEqual([delivered, created])
    expect(JSON.stringify(again.said)).not.toContain(SECRETS[0])
  })

  it('survives outages of the receiver and the chain, and a restart of the service', async () => {
    const before = (await onChain()).length
    txId = await world.order(asset, buyer)
    status = 500
    await (await download()).arrayBuffer()
    proxy.down = true
    await eventually(() => receiver.seen('/proof').length > 0)
    await world.local.app.close()
    status = 200
    proxy.down = false
    const { settings } = world.local.app.context
    const again = await createApp(settings)
    await again.listen()
    await eventually(async () => (await again.context.store.proofs.count()) === 0)
    expect(received).toHaveLength(1)
    expect(await onChain()).toHaveLength(before + 1)
    await again.close()
  })
})
