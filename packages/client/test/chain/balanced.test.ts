import { createTidegate, type Tidegate } from '@tidegate/client'
import type { ethers } from 'ethers'
import { type Address, createPublicClient, createWalletClient, custom, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { balancedNode } from '../../../../test/helpers/balanced-node.js'
import type { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { market, useMarket, world } from './market.js'

const ONE = 10n ** 18n
const LAGS = [0, 2_000]

useMarket()

let nodes: RpcProxy[] = []
afterEach(() => {
  for (const node of nodes) node.close()
  nodes = []
})

/** An address whose parts are of different moments for each call. */
async function mixed(seed: number, lags = LAGS): Promise<RpcProxy> {
  const balance = { lags: { blocks: lags, logs: lags, state: lags, receipts: lags }, repeats: 0.5, seed }
  const node = await balancedNode(world.network.rpcUrl, balance)
  nodes.push(node)
  return node
}

/** Returns a client that reads and sends through an address, with a local account. */
function through({ url: rpcUrl }: RpcProxy, { privateKey }: ethers.Wallet): Tidegate {
  const account = privateKeyToAccount(privateKey as Hex)
  const wallet = createWalletClient({ account, transport: http(rpcUrl) })
  return createTidegate({ url: world.network.providerUrl, wallet, rpcUrl })
}

/** Returns a client whose wallet and `publicClient` are those of a browser wallet at an address. */
function byWallet({ url }: RpcProxy, { privateKey }: ethers.Wallet): Tidegate {
  const account = privateKeyToAccount(privateKey as Hex)
  const node = createPublicClient({ transport: http(url) })
  // the wallet's own node is current: it counts its transactions itself
  const own = createWalletClient({ account, transport: http(world.network.rpcUrl) })
  const request = ({ method, params }: { method: string; params?: unknown }) => {
    if (method === 'personal_sign') return account.signMessage({ message: { raw: (params as [Hex])[0] } })
    if (method !== 'eth_sendTransaction') return node.request({ method, params } as never)
    const [{ to, data, gas }] = params as [{ to: Address; data: Hex; gas: Hex }]
    return own.sendTransaction({ to, data, gas: BigInt(gas), chain: null })
  }
  const wallet = createWalletClient({ account: account.address, transport: custom({ request }) })
  const publicClient = createPublicClient({ transport: custom({ request }), ccipRead: false, pollingInterval: 200 })
  return createTidegate({ url: world.network.providerUrl, wallet, publicClient })
}

/** Publishes, changes, sells, revokes and restores an asset, and changes an access list. */
async function wholeLife(publisher: Tidegate, buyer: Tidegate, members: Address[]): Promise<void> {
  const { Ocean } = world.network.addresses
  const { list } = await publisher.createAccessList({ name: 'Harbours', members })
  const [, first] = members as [Address, Address]
  expect(await publisher.addMembers(list, members)).toMatchObject({ changed: [], unchanged: members })
  expect(await publisher.removeMembers(list, [first])).toMatchObject({ changed: [first] })
  const price = { amount: '5', token: Ocean as Address }
  const { did, datatoken } = await publisher.publish({ ...market.request, price, accessLists: [list] })
  await market.known(did, { 'nft.state': 0 })
  expect(await publisher.differences(did, { price })).toEqual([])
  const quote = await buyer.quote(did)
  expect(quote.price).toMatchObject({ type: 'fixed', total: [{ units: 5_005_000_000_000_000_000n }] })
  const { order, transactions } = await buyer.buy(quote)
  expect(transactions).toHaveLength(2)
  // the order is known at once, and nothing is paid again
  expect(await buyer.buy(did)).toMatchObject({ order, reused: true })
  expect((await buyer.orders()).map(({ tx, did }) => [tx, did])).toEqual([[order, did]])
  expect(await (await (await buyer.download(did)).blob()).text()).toContain('0:00')
  await publisher.update(did, { price: { amount: '6' }, description: 'By the hour' })
  await market.known(did, { 'metadata.description': 'By the hour' })
  expect((await buyer.asset(did)).services[0]?.price.total).toMatchObject([{ units: 6_006_000_000_000_000_000n }])
  for (const state of ['revoked', 'active'] as const) {
    expect(await publisher.setState(did, state)).toMatchObject({ changed: ['state'] })
    await market.known(did, { 'nft.state': state === 'active' ? 0 : 3 })
  }
  expect(datatoken).toMatch(/^0x/)
}

async function people() {
  const [publisher, buyer] = [await market.person(), await market.person()]
  await market.give(world.network.addresses.Ocean as Address, buyer, 20n * ONE)
  return { publisher: publisher.signer, buyer: buyer.signer, members: [buyer.address, publisher.address] }
}

describe('an address that balances over nodes of different moments', () => {
  it('serves publishers and buyers', async () => {
    const node = await mixed(1)
    const { publisher, buyer, members } = await people()
    await wholeLife(through(node, publisher), through(node, buyer), members)
  })

  it('serves a browser wallet and a client of the caller', async () => {
    const node = await mixed(3)
    const { publisher, buyer, members } = await people()
    await wholeLife(byWallet(node, publisher), byWallet(node, buyer), members)
  })
})
