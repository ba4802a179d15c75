import { createContext, createTidegate, priceOf } from '@tidegate/client'
import { type Address, createPublicClient, encodeAbiParameters, http, parseAbi, stringToHex, zeroAddress } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { answering, ENDLESS, placed, zeros } from '../../../../test/helpers/raw-contracts.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import type { World } from '../../../../test/helpers/world.js'
import { namedContracts } from '../../src/chain/contracts.js'
import { tokenAt } from '../../src/chain/erc20.js'
import { Moment } from '../../src/chain/moment.js'
import { walletOf } from '../world.js'
import { market, useMarket, world } from './market.js'

const ONE = 10n ** 18n
const ROUTER = parseAbi([
  'function removeFixedRateContract(address exchange)',
  'function addFixedRateContract(address exchange)',
  'function removeDispenserContract(address dispenser)',
  'function addDispenserContract(address dispenser)',
])

useMarket()

beforeAll(async () => {
  await market.asFirst(world.network.addresses.Router, 'updateOPCFee', [0n, 0n, 0n, 0n])
})

const at = (code: `0x${string}`) => placed((method, params) => world.rpc(method, params), code)
const text = (value: string) => answering(encodeAbiParameters([{ type: 'string' }], [value]))
const reader = (url: string, timeout = 60_000) =>
  createPublicClient({ transport: http(url, { retryCount: 0, timeout }), ccipRead: false, pollingInterval: 20 })

describe('a token', () => {
  it.each([
    ['whose symbol is long', () => text('A'.repeat(100)), `${'A'.repeat(19)}…`],
    ['whose symbol is longer than anybody reads', () => text('A'.repeat(20_000)), undefined],
    ['whose symbol turns the text round', () => text('\u202eNAECO'), undefined],
    ['whose symbol is in two lines', () => text('OCE\nAN'), 'OCE AN'],
    ['whose symbol is empty', () => text(''), undefined],
    ['whose symbol is no text', () => answering(encodeAbiParameters([{ type: 'bytes' }], ['0xff80ff'])), undefined],
    ['whose symbol is 32 bytes', () => answering(stringToHex('MKR', { size: 32 })), 'MKR'],
    ['that loops', () => ENDLESS, undefined],
    ['that answers a megabyte', () => zeros(1_000_000), undefined],
    ['that reverts with a megabyte', () => zeros(1_000_000, true), undefined],
    ['that is none', () => '0x' as const, undefined],
  ])('%s is shown nevertheless', async (_, code, symbol) => {
    const address = await at(code())
    const token = await tokenAt(await Moment.of(market.reader, world.network.chainId), address)
    expect(token.symbol).toBe(symbol ?? `${address.slice(0, 6)}…${address.slice(-4)}`)
    expect(token.decimals).toBeGreaterThanOrEqual(0)
    expect(token.decimals).toBeLessThanOrEqual(255)
  })

  it('with 255 decimals or endless loops has an exact price, but cannot be used to pay', async () => {
    // returns 255 for everything: too small a balance
    const token = await at(answering(encodeAbiParameters([{ type: 'uint256' }], [255n])))
    const endless = await at(ENDLESS)
    const buyer = await market.person()
    for (const base of [token, endless]) {
      const { did } = await market.sale({ price: { token: base, rate: ONE } })
      const { price } = await buyer.tidegate.quote(did)
      const units = base === token ? `0.${'1'.padStart(255 - 18, '0')}` : '1000000000000000000'
      expect(price.total).toMatchObject([{ token: base, units: ONE, amount: units }])
      const code = base === token ? 'INSUFFICIENT_TOKENS' : 'CONTRACT_UNREADABLE'
      await expect(buyer.tidegate.buy(did)).rejects.toMatchObject({ code, transactions: [] })
    }
  })
})

describe('a collection of items as the token of a price', () => {
  it('is refused, as an approval would give an item away (threat 127)', async () => {
    // answers 1 to everything: it supports the interface of ERC-721
    const token = await at(answering(encodeAbiParameters([{ type: 'uint256' }], [1n])))
    const buyer = await market.person()
    const { did } = await market.sale({ price: { token, rate: ONE } })
    await expect(buyer.tidegate.buy(did)).rejects.toMatchObject({ code: 'NOT_A_TOKEN', transactions: [] })
  })
})

describe('the contracts of a public network', () => {
  it('are those of the library, whatever the provider names (threat 127)', async () => {
    const provider = await StorageServer.start()
    const own = world.network.addresses.ERC721Factory
    provider.on('/', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ contracts: { 1: { ERC721Factory: own, Ocean: own }, 4321: { ERC721Factory: own } } }),
      )
    })
    const context = createContext({ url: new URL(provider.file('/a', Buffer.from('a'))).origin })
    expect(await namedContracts(context, 4321)).toEqual({ ERC721Factory: own })
    const { ERC721Factory, Ocean } = (await namedContracts(context, 1)) ?? {}
    for (const address of [ERC721Factory, Ocean])
      expect([address, address === own]).toEqual([expect.any(String), false])
  })
})

describe('untrusted contracts', () => {
  it('are not asked for a price if the factory did not deploy the datatoken', async () => {
    const { providerUrl: url, chainId } = world.network
    const context = createContext({ url, publicClient: market.reader })
    const datatoken = await at(ENDLESS)
    await expect(priceOf(context, { chainId, datatoken })).rejects.toMatchObject({ code: 'FOREIGN_DATATOKEN' })
  })

  it("get no payment as exchanges and dispensers without the router's approval", async () => {
    const { Router, FixedPrice, Dispenser, Ocean } = world.network.addresses
    const sales = [await market.sale({ price: { token: Ocean, rate: ONE } }), await market.sale({ price: 'free' })]
    const { tidegate } = await market.person()
    await market.asFirst(Router, 'removeFixedRateContract', [FixedPrice], ROUTER)
    await market.asFirst(Router, 'removeDispenserContract', [Dispenser], ROUTER)
    try {
      for (const { did } of sales) expect((await tidegate.quote(did)).price.type).toBe('unavailable')
    } finally {
      await market.asFirst(Router, 'addFixedRateContract', [FixedPrice], ROUTER)
      await market.asFirst(Router, 'addDispenserContract', [Dispenser], ROUTER)
    }
    expect((await tidegate.quote(sales[1]?.did as string)).price.type).toBe('free')
  })
})

describe('several offers', () => {
  it("are chosen by the buyer's balance", async () => {
    const { Ocean, MockDAI, MockUSDC } = world.network.addresses
    const more = [
      { token: MockDAI, rate: 2n * ONE },
      { token: MockUSDC, decimals: 6, rate: 3n * ONE },
    ]
    const { did } = await market.sale({ price: { token: Ocean, rate: ONE }, more })
    const buyer = await market.person()
    const total = async () => (await buyer.tidegate.quote(did)).price.total.map(({ symbol, amount }) => symbol + amount)
    expect(await total()).toEqual(['OCEAN1'])
    await market.give(MockUSDC, buyer, 3_000_000n)
    expect(await total()).toEqual(['USDC3'])
    await market.give(MockDAI, buyer, 2n * ONE)
    expect(await total()).toEqual(['DAI2'])
    await buyer.tidegate.buy(did)
    expect(await market.balance(MockDAI, buyer)).toBe(0n)
    expect(await market.balance(MockUSDC, buyer)).toBe(3_000_000n)
  })

  it('start with free ones', async () => {
    const { Ocean, Dispenser } = world.network.addresses
    const asset = await market.sale({ price: { token: Ocean, rate: ONE } })
    const limits = [Dispenser, ONE, ONE, true, zeroAddress]
    await market.call(asset.publisher.signer, asset.datatoken, 'createDispenser', limits)
    const { tidegate } = await market.person()
    expect((await tidegate.quote(asset.did)).price).toEqual({ type: 'free', total: [] })
    await market.call(asset.publisher.signer, Dispenser, 'deactivate', [asset.datatoken])
    expect((await tidegate.quote(asset.did)).price.total).toMatchObject([{ symbol: 'OCEAN', amount: '1' }])
  })

  it('through a market include its share, which it receives', async () => {
    const { Ocean, FixedPrice } = world.network.addresses
    const { did } = await market.sale({ price: { token: Ocean, rate: ONE } })
    const [buyer, seller] = [await market.person(), await market.person()]
    await market.give(Ocean, buyer, 2n * ONE)
    const through = { market: { address: seller.address, share: ONE / 50n } }
    const quote = await buyer.tidegate.quote(did, through)
    expect(quote.price).toMatchObject({ exchangeFees: { amount: '0.02' }, total: [{ amount: '1.02' }] })
    await buyer.tidegate.buy(quote, through)
    expect(await market.balance(Ocean, seller)).toBe(ONE / 50n)
    expect(await market.allowance(Ocean, buyer, FixedPrice)).toBe(0n)
  })
})

describe('a node', () => {
  it('that stops responding during a transaction leaves an error with its hash', async () => {
    const { did } = await market.sale({ price: 'free' })
    const { signer, address } = await market.person()
    const proxy = await RpcProxy.before(world.network.rpcUrl)
    const behind = { network: { rpcUrl: proxy.url } } as World
    const tidegate = createTidegate({
      url: world.network.providerUrl,
      wallet: walletOf(behind, signer.privateKey),
      publicClient: reader(proxy.url),
    })
    try {
      // the transaction is passed on, and the response is lost
      proxy.refuse = (method) => (method === 'eth_sendRawTransaction' ? { status: 502 } : undefined)
      const error = await tidegate.buy(did).catch((caught: unknown) => caught)
      expect(error).toMatchObject({ code: 'MAYBE_SENT', transactions: [expect.stringMatching(/^0x[0-9a-f]{64}$/)] })
      expect(String(error)).not.toContain('hunter2')
      const [order] = (error as { transactions: string[] }).transactions
      proxy.refuse = () => undefined
      // the node accepts a transaction before it mines it
      await world.provider.waitForTransaction(order as string)
      expect(await tidegate.buy(did)).toMatchObject({ order, reused: true })
      expect(await world.provider.getTransactionCount(address)).toBe(1)
    } finally {
      proxy.close()
    }
  })

  it.each([
    ['that does not answer', { silent: true }],
    ['that is gone', { down: true }],
    ['that refuses', { refuseEvery: 1 }],
  ])('%s is a readable error without its URL', async (_, fault) => {
    const { did } = await market.sale({ price: 'free' })
    const { signer } = await market.person()
    const proxy = await RpcProxy.before(world.network.rpcUrl)
    const wallet = walletOf(world, signer.privateKey)
    const publicClient = reader(proxy.url, 5000)
    const tidegate = createTidegate({ url: world.network.providerUrl, wallet, publicClient })
    try {
      await tidegate.quote(did)
      Object.assign(proxy, fault)
      const error = await tidegate.quote(did).catch((caught: unknown) => caught)
      expect(error).toMatchObject({ code: 'CHAIN_UNREACHABLE' })
      expect(String(error)).not.toContain('hunter2')
    } finally {
      proxy.close()
    }
  })

  it.each([
    ['no hex', 'tides'],
    ['nothing', null],
    ['an object', { a: 1 }],
    ['a long text', `0x${'ab'.repeat(1_000_000)}`],
  ])('that returns %s for calls is an error', async (_, lie) => {
    const { did } = await market.sale({ price: 'free' })
    const { signer } = await market.person()
    const proxy = await RpcProxy.before(world.network.rpcUrl)
    const wallet = walletOf(world, signer.privateKey)
    const tidegate = createTidegate({ url: world.network.providerUrl, wallet, publicClient: reader(proxy.url) })
    proxy.lie = (method, truth) => (method === 'eth_call' ? lie : truth)
    try {
      await expect(tidegate.quote(did)).rejects.toMatchObject({ code: 'CONTRACT_UNREADABLE' })
    } finally {
      proxy.close()
    }
  })
})

describe('a provider', () => {
  it('gets no payment for another asset, or for an invalid fee', async () => {
    const { did } = await market.sale({ price: 'free' })
    const other = await market.sale({ price: 'free' })
    const { signer } = await market.person()
    const liar = await StorageServer.start()
    const json = (path: string, body: unknown) =>
      liar.on(path, (_, response) => void response.writeHead(200).end(JSON.stringify(body)))
    const document = async (of: string) =>
      (await fetch(`${world.network.providerUrl}/api/aquarius/assets/ddo/${of}`)).json()
    const wallet = walletOf(world, signer.privateKey)
    const tidegate = createTidegate({ url: liar.origin, wallet, publicClient: market.reader })
    try {
      json(`/api/aquarius/assets/ddo/${did}`, await document(other.did))
      await expect(tidegate.quote(did)).rejects.toMatchObject({ code: 'WRONG_DOCUMENT' })
      json(`/api/aquarius/assets/ddo/${did}`, await document(did))
      for (const amount of ['-1', '1e3', 1.5, null]) {
        const providerFee = {
          providerFeeAddress: zeroAddress,
          providerFeeToken: zeroAddress,
          providerFeeAmount: amount,
        }
        json('/api/services/initialize', { datatoken: zeroAddress as Address, providerFee })
        await expect(tidegate.quote(did)).rejects.toMatchObject({ code: 'BAD_ANSWER' })
      }
    } finally {
      await liar.close()
    }
  })
})
