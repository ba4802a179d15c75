import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTidegate } from '@tidegate/client'
import type { ethers } from 'ethers'
import { createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { withLimits } from '../../../../test/helpers/limits.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { LIMITS } from '../../src/limits.js'
import { market, useMarket, world } from './market.js'

useMarket()
withLimits(LIMITS, ({ behind }) => {
  behind.known = 6_000
})

let node: RpcProxy | undefined
afterEach(() => node?.close())

function through(rpcUrl: string, { privateKey }: ethers.Wallet) {
  const account = privateKeyToAccount(privateKey as Hex)
  const wallet = createWalletClient({ account, transport: http(rpcUrl) })
  return createTidegate({ url: world.network.providerUrl, wallet, rpcUrl })
}

/** Undoes the block of the first receipt. `again` sends its transaction another time. */
async function undoing(again: boolean) {
  const proxy = await RpcProxy.before(world.network.rpcUrl)
  node = proxy
  const { forward } = proxy
  const sent: unknown[][] = []
  let isUndone = false
  proxy.forward = async (method, params) => {
    if (method === 'eth_sendRawTransaction') sent.push(params)
    const answer = await forward(method, params)
    if (method === 'eth_getTransactionReceipt' && answer.result && !isUndone) {
      isUndone = true
      await world.reorganise(1)
      if (again) setTimeout(() => void forward('eth_sendRawTransaction', sent[0] as unknown[]), 500)
    }
    return answer
  }
  return { proxy, sent }
}

describe('a reorganisation that undoes the creation of an asset', () => {
  it('is waited out, and the metadata are set after the creation is mined again', async () => {
    const { proxy } = await undoing(true)
    const { signer } = await market.person()
    const { did } = await through(proxy.url, signer).publish(market.request)
    await market.known(did, { 'nft.state': 0 })
  })

  it('that is final ends with an error, and nothing is sent to the address without code', async () => {
    const { proxy, sent } = await undoing(false)
    const { signer } = await market.person()
    const failure = through(proxy.url, signer).publish(market.request)
    await expect(failure).rejects.toMatchObject({ code: 'NO_CONTRACT', transactions: { length: 1 } })
    expect(sent).toHaveLength(1)
  })
})

/** Methods that find the block of a decision, and check contract and nonce of a transaction. */
const ADDED = new Set(['eth_getBlockByNumber', 'eth_getCode', 'eth_getTransactionCount'])

it('an honest node gets a few more calls for each decision, transaction and list of events', async () => {
  const proxy = await RpcProxy.before(world.network.rpcUrl)
  node = proxy
  const [publisher, buyer] = [await market.person(), await market.person()]
  const addedBy = async <T>(work: Promise<T>): Promise<[T, number]> => {
    const answer = await work
    const added = proxy.calls.filter((method) => ADDED.has(method)).length
    proxy.forget()
    return [answer, added]
  }
  const [{ did }, publishing] = await addedBy(through(proxy.url, publisher.signer).publish(market.request))
  await market.known(did, { 'nft.state': 0 })
  const tidegate = through(proxy.url, buyer.signer)
  const [, buying] = await addedBy(tidegate.buy(did))
  const [, listing] = await addedBy(tidegate.orders())
  // two transactions: their contracts, three nonces, and the block, which is looked for again if the processor is slow
  expect(publishing).toBeLessThanOrEqual(8)
  // one transaction, and the blocks of a list of events
  expect(buying).toBeLessThanOrEqual(8)
  expect(listing).toBeLessThanOrEqual(4)
})

it('a node that answers a web page is named so', async () => {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<h1>Log in</h1>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { did } = await market.sale({ price: 'free' })
    const { signer } = await market.person()
    const rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const wallet = createWalletClient({
      account: privateKeyToAccount(signer.privateKey as Hex),
      transport: http(rpcUrl),
    })
    const failure = createTidegate({ url: world.network.providerUrl, wallet, rpcUrl }).quote(did)
    const message = 'The node of the chain answers no JSON, but a web page or other text.'
    await expect(failure).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE', message })
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
