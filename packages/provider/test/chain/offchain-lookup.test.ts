import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Wallet } from 'ethers'
import { createPublicClient, type Hex, http } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { viewFunction } from '../../../../test/helpers/abi.js'
import { deployed } from '../../../../test/helpers/contracts.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { placed } from '../../../../test/helpers/raw-contracts.js'
import { ask, askJson, downloadParams, FILE_ID, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { rpcClient } from '../../../chain/src/rpc/clients.js'

const BAD_SIGNATURE = `0x${'12'.repeat(65)}`

/** A contract may answer a call with "fetch this URL" (EIP-3668), which a service inside a network must never do. */
describe('a contract that asks for an off-chain look-up sends no request anywhere (threat 35)', () => {
  let world: World
  let inside: Server
  let connections = 0
  let lookup: `0x${string}`
  let buyer: Wallet
  let base: string

  beforeAll(async () => {
    inside = createServer((socket) => {
      connections += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(inside, 'listening')
    world = await World.start()
    base = `${world.network.providerUrl}/api`
    const port = (inside.address() as AddressInfo).port
    if (port < 10_000) throw new Error('The contract writes ports of five digits.')
    lookup = await deployed(world.network.rpcUrl, 'Lookup', [port])
    buyer = await world.somebody()
  })
  afterAll(() => void inside.close())
  beforeEach(() => {
    connections = 0
  })

  const contractFile = (address: string, name: string, type: string) => ({
    type: 'smartcontract',
    chainId: world.network.chainId,
    address,
    abi: viewFunction([{ name: '', type }], [], name),
  })
  const fileinfo = (body: object) => askJson(`${base}/services/fileinfo`, body)
  async function download(asset: Published, txId: string, changed: Record<string, string> = {}) {
    return ask(`${base}/services/download?${await downloadParams(asset, txId, buyer, changed)}`)
  }
  const document = async ({ did }: Published) => (await ask(`${base}/aquarius/assets/ddo/${did}`)).json

  it('control: the library on its own would send it', async () => {
    const client = createPublicClient({ transport: http(world.network.rpcUrl) })
    await expect(client.call({ to: lookup, data: '0x12345678' })).rejects.toThrow()
    expect(connections).toBeGreaterThan(0)
    connections = 0
    const own = rpcClient(new URL(world.network.rpcUrl))
    expect(own.ccipRead).toBe(false)
    await expect(own.call({ to: lookup, data: '0x12345678' })).rejects.toThrow()
    expect(connections).toBe(0)
  })

  it('as a file, described and downloaded', async () => {
    const file = contractFile(lookup, 'heights', 'uint256')
    expect((await fileinfo(file)).json).toEqual([
      { index: 0, valid: false, type: 'smartcontract', reason: expect.any(String) },
    ])
    const asset = await world.publish({ files: [file] })
    const { json } = await fileinfo({ did: asset.did, serviceId: 'tide-access' })
    // only the operator learns why it is not valid
    expect(json).toEqual([{ index: 0, id: expect.stringMatching(FILE_ID), valid: false, type: 'smartcontract' }])
    const answer = await download(asset, await world.order(asset, buyer))
    expect([answer.status, answer.json.code]).toEqual([502, 'STORAGE_REFUSED'])
    expect(connections).toBe(0)
  })

  it('control: an ordinary contract works as a file', async () => {
    const file = contractFile(world.network.addresses.Ocean, 'symbol', 'string')
    const described = {
      index: 0,
      valid: true,
      type: 'smartcontract',
      contentLength: '7',
      contentType: 'application/json',
    }
    expect((await fileinfo(file)).json).toEqual([described])
    const asset = await world.publish({ files: [file] })
    expect((await download(asset, await world.order(asset, buyer))).text).toBe('"OCEAN"')
  })

  it('as the wallet behind a signature', async () => {
    const asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tide')))
    const changed = { consumerAddress: lookup, nonce: freshNonce(), signature: BAD_SIGNATURE }
    const refused = await download(asset, await world.order(asset, buyer), changed)
    expect([refused.status, refused.json.errors]).toEqual([400, { signature: [expect.stringContaining('Invalid')] }])
    const token = { address: lookup, nonce: freshNonce(), signature: BAD_SIGNATURE, expiration: `${2 ** 31}` }
    expect((await ask(`${base}/services/createAuthToken?${new URLSearchParams(token)}`)).status).toBe(400)
    expect(connections).toBe(0)
  })

  it('as the data NFT of a decrypt request', async () => {
    const { chainId } = world.network
    const [nonce, transactionId] = [freshNonce(), `0x${'12'.repeat(32)}`]
    const signature = await signText(buyer, `${transactionId}${buyer.address}${chainId}${nonce}`)
    const fields = { decrypterAddress: buyer.address, chainId, nonce, signature, dataNftAddress: lookup, transactionId }
    const headers = { 'content-type': 'application/json' }
    const { json } = await ask(`${base}/services/decrypt`, { method: 'POST', headers, body: JSON.stringify(fields) })
    expect(json.code).toBe('NFT_UNKNOWN')
    expect(connections).toBe(0)
  })

  it('as the token of a price, its exchange, the dispenser, the datatoken and the NFT', async () => {
    const { Ocean, FixedPrice, Dispenser } = world.network.addresses
    const url = world.storage.file('/b.csv', Buffer.from('tide'))
    const priced = await world.publishUrl(url, { pricing: { fixed: '2.5' } })
    const free = await world.publishUrl(url)
    const unread = await world.publishUrl(url)
    expect(await document(priced)).toMatchObject({ stats: { price: { value: 2.5, tokenSymbol: 'OCEAN' } } })
    expect(await document(free)).toMatchObject({ stats: { price: { value: 0 } } })

    const trap = (await world.rpc('eth_getCode', [lookup, 'latest'])) as Hex
    const replace = (address: string) => placed(world.rpc.bind(world), trap, address)
    /** The price, once cached answers have expired. */
    const price = (asset: Published) =>
      expect.poll(async () => ((await document(asset)).stats as { price: object }).price, { timeout: 60_000 })
    await replace(Ocean)
    await price(priced).toEqual({ value: 2.5, tokenAddress: Ocean })
    // prices are those of the index, which asks no exchange
    await replace(FixedPrice)
    expect((await document(priced)).stats).toMatchObject({ price: { value: 2.5, tokenAddress: Ocean } })
    await replace(Dispenser)
    expect((await document(free)).stats).toMatchObject({ price: { value: 0 } })
    await replace(unread.nft)
    await replace(unread.datatoken)
    expect(await document(unread)).toMatchObject({ id: unread.did, nft: { address: unread.nft, state: 0 } })
    expect(connections).toBe(0)
  })
})
