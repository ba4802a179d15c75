import { createTidegate } from '@tidegate/client'
import { type Address, createPublicClient, createWalletClient, custom, type Hex, http } from 'viem'
import { privateKeyToAccount, toAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { deployed, minedReceipt } from '../../../../test/helpers/contracts.js'
import { AT_ONCE, eventually } from '../../../../test/helpers/eventually.js'
import { walletFor } from '../world.js'
import { market, type OnSale, type Person, type Sale, TOKEN, useMarket, world } from './market.js'

const ONE = 10n ** 18n

useMarket()
let Ocean: Address
let fixedPrice: Address

beforeAll(async () => {
  Ocean = world.network.addresses.Ocean
  fixedPrice = world.network.addresses.FixedPrice
  // no share of the community, for round numbers
  await market.asFirst(world.network.addresses.Router, 'updateOPCFee', [0n, 0n, 0n, 0n])
})

const sold = (template: 1 | 2 = 2, more: Partial<Sale> = {}) =>
  market.sale({ price: { token: Ocean, rate: 5n * ONE }, template, ...more })

async function withOcean(units: bigint): Promise<Person> {
  const buyer = await market.person()
  await market.give(Ocean, buyer, units)
  return buyer
}

const setRate = async (asset: OnSale, rate: bigint) =>
  market.call(asset.publisher.signer, fixedPrice, 'setRate', [await market.exchangeOf(asset, Ocean), rate])

/** Returns the same person with an action before each signature. */
function interrupted({ signer }: Person, before: (at: number) => Promise<void>): Person['tidegate'] {
  const account = privateKeyToAccount(signer.privateKey as Hex)
  let at = 0
  const own = toAccount({
    address: account.address,
    signMessage: account.signMessage,
    signTypedData: account.signTypedData,
    async signTransaction(transaction, options) {
      await before(at++)
      return account.signTransaction(transaction, options)
    },
  })
  const wallet = createWalletClient({ account: own, transport: http(world.network.rpcUrl) })
  return createTidegate({ url: world.network.providerUrl, wallet, publicClient: market.reader })
}

describe('a changed price', () => {
  it.each([
    ['rises', 6n * ONE],
    ['falls', 4n * ONE],
  ])('after the quote is refused and nothing is sent: it %s', async (_, rate) => {
    const asset = await sold()
    const buyer = await withOcean(10n * ONE)
    const quote = await buyer.tidegate.quote(asset.did)
    await setRate(asset, rate)
    const message = `The price was 5 OCEAN and is ${rate / ONE} OCEAN now. Nothing was paid.`
    await expect(buyer.tidegate.buy(quote)).rejects.toMatchObject({ code: 'PRICE_CHANGED', message, transactions: [] })
    expect(await market.sent(buyer)).toBe(0)
  })

  it.each([1, 2] as const)('during the purchase takes nothing: template %s', async (template) => {
    const asset = await sold(template)
    const buyer = await withOcean(10n * ONE)
    // the second signature is that of the purchase
    const tidegate = interrupted(buyer, async (at) => void (at === 1 && (await setRate(asset, 6n * ONE))))
    const error = await tidegate.buy(asset.did).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'PRICE_CHANGED', transactions: [expect.any(String), expect.any(String)] })
    for (const hash of (error as { transactions: string[] }).transactions)
      expect((error as Error).message).toContain(hash)
    expect(await market.balance(Ocean, buyer)).toBe(10n * ONE)
  })
})

describe('existing tokens and approvals', () => {
  it('a held datatoken is not bought again, after an order that failed', async () => {
    const asset = await sold(1)
    const buyer = await withOcean(5n * ONE)
    const quote = await buyer.tidegate.quote(asset.did)
    const refusing = interrupted(buyer, async (at) => {
      if (at === 2) throw Object.assign(new Error('no'), { code: 4001 })
    })
    await expect(refusing.buy(quote)).rejects.toMatchObject({ code: 'REJECTED', transactions: { length: 2 } })
    expect(await market.balance(asset.datatoken, buyer)).toBe(ONE)
    expect(await buyer.tidegate.quote(asset.did)).toMatchObject({ held: true, price: { total: [] } })
    const { paid, transactions } = await buyer.tidegate.buy(quote)
    expect([paid, transactions.length]).toEqual([[], 1])
    expect(await market.balance(asset.datatoken, buyer)).toBe(0n)
  })

  it('a datatoken of a dispenser is used, and does not change the price of the asset', async () => {
    const { did, datatoken } = await market.sale({ price: 'free', template: 1 })
    const buyer = await market.person()
    const refusing = interrupted(buyer, async (at) => {
      if (at === 1) throw Object.assign(new Error('no'), { code: 4001 })
    })
    await expect(refusing.buy(did)).rejects.toMatchObject({ code: 'REJECTED', transactions: { length: 1 } })
    expect(await market.balance(datatoken, buyer)).toBe(ONE)
    expect((await buyer.tidegate.asset(did)).services[0]?.price).toEqual({ type: 'free', total: [] })
    expect((await buyer.tidegate.buy(did)).transactions).toHaveLength(1)
  })

  it.each([
    ['that suffices is used', 9n * ONE, 1, 4n * ONE],
    ['that does not is replaced by the exact one', ONE, 2, 0n],
  ])('an approval %s', async (_, approved, sent, left) => {
    const asset = await sold()
    const buyer = await withOcean(5n * ONE)
    await market.call(buyer.signer, Ocean, 'approve', [asset.datatoken, approved], TOKEN)
    expect((await buyer.tidegate.buy(asset.did)).transactions).toHaveLength(sent)
    expect(await market.allowance(Ocean, buyer, asset.datatoken)).toBe(left)
  })

  it('an approval is replaced through zero if the token requires that', async () => {
    const buyer = await market.person()
    const usdt = await deployed(world.network.rpcUrl, 'Tether', [buyer.address])
    const asset = await market.sale({ price: { token: usdt, decimals: 6, rate: ONE } })
    await market.call(buyer.signer, usdt, 'approve', [asset.datatoken, 1n], TOKEN)
    const before = await market.balance(usdt, buyer)
    const { paid, transactions } = await buyer.tidegate.buy(asset.did)
    const units = 10n ** 6n
    expect(paid).toMatchObject([{ symbol: 'USDT', decimals: 6, units, amount: '1' }])
    expect(transactions).toHaveLength(3)
    expect(before - (await market.balance(usdt, buyer))).toBe(units)
    expect(await market.allowance(usdt, buyer, asset.datatoken)).toBe(0n)
  })
})

describe('an impossible purchase', () => {
  it('names the missing amount of a token, and sends nothing', async () => {
    const asset = await sold()
    const buyer = await withOcean(3_200_000_000_000_000_001n)
    const message = 'Not enough OCEAN: 5 needed, 3.200000000000000001 held.'
    await expect(buyer.tidegate.buy(asset.did)).rejects.toMatchObject({ code: 'INSUFFICIENT_TOKENS', message })
    expect(await market.sent(buyer)).toBe(0)
  })

  it.each(['0x0', '0x3e8'])('reports missing coin for gas: %s', async (balance) => {
    const asset = await sold()
    const buyer = await withOcean(5n * ONE)
    await world.rpc('anvil_setBalance', [buyer.address, balance])
    await expect(buyer.tidegate.buy(asset.did)).rejects.toMatchObject({ code: 'INSUFFICIENT_GAS', transactions: [] })
  })

  it('reports another network', async () => {
    const asset = await sold()
    const { signer } = await withOcean(5n * ONE)
    const account = privateKeyToAccount(signer.privateKey as Hex)
    const request = async ({ method }: { method: string }) => {
      if (method === 'eth_chainId') return '0x1'
      throw new Error(method)
    }
    const wallet = createWalletClient({ account, transport: custom({ request }) })
    const tidegate = createTidegate({ url: world.network.providerUrl, wallet, publicClient: market.reader })
    const message = 'This is on chain 8996, but the wallet is on chain 1. Switch the network of the wallet.'
    await expect(tidegate.buy(asset.did)).rejects.toMatchObject({ code: 'WRONG_NETWORK', message })
  })

  it('reports a revoked asset', async () => {
    const asset = await sold()
    await asset.publisher.tidegate.setState(asset.did, 'revoked')
    const buyer = await withOcean(5n * ONE)
    const code = 'ASSET_NOT_CONSUMABLE'
    await eventually(async () => (await buyer.tidegate.quote(asset.did).catch(({ code }) => code)) === code)
    await expect(buyer.tidegate.buy(asset.did)).rejects.toMatchObject({
      code,
      message: expect.stringContaining('revoked'),
    })
  })

  it('reports a buyer whom the publisher does not admit', async () => {
    const admitted = await withOcean(5n * ONE)
    const credentials = { allow: [{ type: 'address', values: [admitted.address] }], deny: [] }
    const asset = await sold(2, { adjust: (document) => Object.assign(document, { credentials }) })
    const buyer = await withOcean(5n * ONE)
    await expect(buyer.tidegate.buy(asset.did)).rejects.toMatchObject({
      code: 'CREDENTIALS_DENIED',
      message: 'The asset is not available. The credentials do not admit consumerAddress.',
    })
    expect(await market.sent(buyer)).toBe(0)
    expect((await admitted.tidegate.buy(asset.did)).transactions).toHaveLength(2)
  })

  it('reports another program that sends from the same account', async () => {
    const asset = await market.sale({ price: 'free' })
    const buyer = await market.person()
    const wallet = walletFor(world, buyer.signer)
    const tidegate = interrupted(buyer, async () => {
      const hash = await wallet.sendTransaction({ to: buyer.address, chain: null } as never)
      await minedReceipt(world.network.rpcUrl, hash)
    })
    await expect(tidegate.buy(asset.did)).rejects.toMatchObject({ code: 'NONCE_TOO_LOW', transactions: [] })
  })

  it('reports a closed exchange', async () => {
    const asset = await sold()
    await market.call(asset.publisher.signer, fixedPrice, 'toggleExchangeState', [
      await market.exchangeOf(asset, Ocean),
    ])
    const buyer = await withOcean(5n * ONE)
    expect((await buyer.tidegate.quote(asset.did)).price.type).toBe('unavailable')
    await expect(buyer.tidegate.buy(asset.did)).rejects.toMatchObject({ code: 'UNAVAILABLE', transactions: [] })
  })
})

describe('a wallet with its own key', () => {
  /** Returns a browser wallet: it signs with an account of the node, or declines. */
  function browser(agrees: () => boolean) {
    const [address] = [world.network.accounts[6]?.address as Address]
    const request = async ({ method, params }: { method: string; params?: unknown }) => {
      if (method === 'eth_accounts' || method === 'eth_requestAccounts') return [address]
      if (method === 'eth_sendTransaction' && !agrees())
        throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
      return market.reader.request({ method, params } as never)
    }
    const wallet = createWalletClient({ transport: custom({ request }) })
    return createTidegate({ url: world.network.providerUrl, wallet })
  }

  it('buys through its own node', async () => {
    const asset = await sold()
    const { order, transactions } = await browser(() => true).buy(asset.did)
    expect(transactions).toHaveLength(2)
    expect(await browser(() => false).buy(asset.did)).toMatchObject({ order, reused: true })
  })

  it('declines, and nothing is sent', async () => {
    const asset = await sold()
    const refused = browser(() => false).buy(asset.did)
    const message = 'The wallet declined to approve 5 OCEAN.'
    await expect(refused).rejects.toMatchObject({ code: 'REJECTED', message, transactions: [] })
  })
})

describe('a transaction that is not mined', () => {
  it('is named, and can be found later', async () => {
    const asset = await market.sale({ price: 'free' })
    const buyer = await market.person()
    await world.rpc('evm_setAutomine', [false])
    try {
      const error = await buyer.tidegate.buy(asset.did, { minedWithin: 200 }).catch((caught: unknown) => caught)
      expect(error).toMatchObject({ code: 'NOT_MINED', transactions: { length: 1 } })
      const [hash] = (error as { transactions: [Hex] }).transactions
      expect((error as Error).message).toContain(hash)
      await world.rpc('evm_mine')
      await eventually(async () => (await market.reader.getTransactionReceipt({ hash })).status === 'success')
      expect(await buyer.tidegate.buy(asset.did)).toMatchObject({ order: hash, reused: true })
    } finally {
      await world.rpc('evm_setAutomine', [true])
    }
  })

  it('is found in the last block, mined while the client looked for a replacement', async () => {
    const asset = await market.sale({ price: 'free' })
    const { signer } = await market.person()
    const [looked, heads]: [string[], unknown[]] = [[], []]
    const request = async ({ method, params }: { method: string; params?: unknown }) => {
      const answer = await market.reader.request({ method, params } as never)
      if (method === 'eth_blockNumber') heads.push(answer)
      // the client reads a whole block to find a transaction that replaced this one
      if (method === 'eth_getBlockByNumber' && (params as unknown[])[1] === true && looked.push(method) === 1) {
        const before = heads.at(-1)
        await world.rpc('evm_mine')
        // the new block is reported meanwhile
        await eventually(() => heads.filter((head) => head !== before).length > 1)
      }
      return answer
    }
    const publicClient = createPublicClient({ transport: custom({ request }), pollingInterval: 50 })
    const wallet = walletFor(world, signer)
    const tidegate = createTidegate({ url: world.network.providerUrl, wallet, publicClient })
    await world.rpc('evm_setAutomine', [false])
    try {
      const { transactions } = await tidegate.buy(asset.did, { minedWithin: AT_ONCE })
      expect(transactions).toHaveLength(1)
      expect(looked).not.toHaveLength(0)
    } finally {
      await world.rpc('evm_setAutomine', [true])
    }
  })
})
