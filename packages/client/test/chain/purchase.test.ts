import { createTidegate, type PaymentStore, paymentUse, receiptSigner, type Tidegate } from '@tidegate/client'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withLimits } from '../../../../test/helpers/limits.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { World } from '../../../../test/helpers/world.js'
import { Buyer } from '../../../provider/test/purchases/buyer.js'
import { whilePriceRises } from '../../../provider/test/purchases/rising-price.js'
import { PURCHASE_LIMITS } from '../../../purchases/src/limits.js'
import { LIMITS } from '../../src/limits.js'
import { walletOf } from '../world.js'
import { type Paying, Shop } from './shop.js'

const CONTENT = 'hour,height\n0,3.1\n'
/** 2.5 USDC, with 0.2 % for the community, and the fee for gas. */
const PRICE = 2_555_000n
const HELD = 10_000_000n
const CAP = { maxPrice: { amount: '3', token: 'USDC' } }

let world: World
let shop: Shop
let asset: Published
let url: string
let did: string
const { purchasing } = structuredClone(LIMITS)
const limit = (changed: object) => void Object.assign(LIMITS.purchasing, changed)

withLimits(LIMITS, ({ pause }) => {
  Object.assign(pause, { first: 10, longest: 50 })
})
withLimits(PURCHASE_LIMITS, (limits) => {
  limits.cashier.interval = 50
})
beforeAll(async () => {
  world = await World.start({ PURCHASES: 'on' })
  url = world.storage.file('/tides.csv', Buffer.from(CONTENT))
  shop = await Shop.before(world.network.providerUrl)
  asset = await publish()
  did = asset.did
})
beforeEach(() => {
  shop.payments.length = 0
  shop.misbehave = ({ honestly }) => honestly()
})
afterEach(() => limit(purchasing))
afterAll(async () => {
  shop?.close()
  await world?.close()
})

const publish = (pricing?: object) =>
  world.publishUrl(url, { pricing: pricing ?? { fixed: '2.5', token: 'MockUSDC' } } as never)

/** A buyer with USDC and no coin, whose signatures are counted. */
class Customer {
  signed = 0
  readonly tidegate: Tidegate

  private constructor(readonly buyer: Buyer) {
    this.tidegate = this.client()
  }

  static async with(usdc = '10'): Promise<Customer> {
    return new Customer(await Buyer.with(world, usdc))
  }

  /** Another client of the same account. */
  client(): Tidegate {
    const account = privateKeyToAccount(this.buyer.wallet.privateKey as Hex)
    const counting = {
      ...account,
      signTypedData: (typed: never) => {
        this.signed += 1
        return account.signTypedData(typed)
      },
    }
    const wallet = Object.assign(walletOf(world, this.buyer.wallet.privateKey), { account: counting })
    return createTidegate({ url: shop.url, wallet, rpcUrl: world.network.rpcUrl })
  }

  /** What left the account. */
  async paid(): Promise<bigint> {
    return HELD - (await this.buyer.balance())
  }

  async text(order: Hex): Promise<string> {
    return (await (await this.tidegate.download(did, { order })).blob()).text()
  }
}

describe('a purchase by one signature', () => {
  it('needs no coin, and its order downloads like any other', async () => {
    const customer = await Customer.with()
    const steps: string[] = []
    const price = await customer.tidegate.purchasePrice(did)
    expect(price).toMatchObject({ did, amount: { units: PRICE, amount: '2.555', symbol: 'USDC', decimals: 6 } })
    const bought = await customer.tidegate.purchase(did, { ...CAP, onStep: (step) => void steps.push(step) })
    expect(bought).toMatchObject({ did, reused: false, paid: [{ units: PRICE }], consumer: customer.buyer.address })
    expect(bought.purchaseId).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await (await fetch(bought.link?.url as string)).text()).toBe(CONTENT)
    expect(await customer.text(bought.order)).toBe(CONTENT)
    const { receipt, order, payTo } = bought
    expect(receipt).toMatchObject({
      documentId: did,
      payer: customer.buyer.address,
      paid: `${PRICE}`,
      transferTxId: order,
    })
    expect(await receiptSigner(receipt as never)).toBe(payTo)
    expect(steps).toEqual(['Sign the payment of 2.555 USDC', 'Send the payment, and wait for the order'])
    expect((await world.provider.getBalance(customer.buyer.address)).toString()).toBe('0')
    // a valid order is used again
    const again = await customer.client().purchase(did, CAP)
    expect(again).toMatchObject({ order: bought.order, reused: true, paid: [] })
    expect([await customer.paid(), customer.signed]).toEqual([PRICE, 1])
  })

  it('names the payment by an identifier that is not on the chain', async () => {
    const customer = await Customer.with()
    await customer.tidegate.purchase(did, CAP)
    const { extensions, payload } = JSON.parse(atob(shop.payments[0] as string))
    expect(extensions['payment-identifier'].info.id).toMatch(/^[0-9a-f]{32}$/)
    expect(payload.authorization.nonce).not.toContain(extensions['payment-identifier'].info.id)
  })

  it('has the accepted terms in its receipt', async () => {
    const customer = await Customer.with()
    const terms = 'ab'.repeat(32)
    const { did: sold } = await world.publishUrl(url, {
      pricing: { fixed: '2.5', token: 'MockUSDC' },
      adjust: ({ metadata }) =>
        Object.assign(metadata as unknown as object, {
          additionalInformation: { termsAndConditions: { url, sha256: terms } },
        }),
    })
    await expect(customer.tidegate.purchase(sold, CAP)).rejects.toMatchObject({ code: 'TERMS_NOT_ACCEPTED' })
    const { receipt } = await customer.tidegate.purchase(sold, { ...CAP, acceptTerms: terms })
    expect(receipt?.terms).toBe(terms)
  })

  it.each<[string, (told: Record<string, unknown>) => unknown]>([
    ['of another settlement', (told) => Object.assign(told, { settleTxId: `0x${'12'.repeat(32)}` })],
    ['without a signature', (told) => Object.assign(told, { signature: '0x' })],
  ])('has no receipt %s', async (_, change) => {
    const customer = await Customer.with()
    shop.misbehave = async ({ pass, response }) => {
      const passed = await pass()
      const body = (await passed.json()) as { receipt: Record<string, unknown> }
      change(body.receipt)
      response.writeHead(200).end(JSON.stringify(body))
    }
    const { order, receipt } = await customer.tidegate.purchase(did, CAP)
    expect(receipt).toBeUndefined()
    expect(await customer.text(order)).toBe(CONTENT)
  })

  it('is one for calls at the same time', async () => {
    const customer = await Customer.with()
    const both = await Promise.all([1, 2].map(() => customer.tidegate.purchase(did, CAP)))
    expect(both[0]?.order).toBe(both[1]?.order)
    expect([await customer.paid(), customer.signed]).toEqual([PRICE, 1])
  })

  it('is not offered of a free asset, or by a provider without the endpoint', async () => {
    const { tidegate } = await Customer.with()
    const { did: free } = await world.publishUrl(url)
    expect(await tidegate.purchasePrice(free)).toBeUndefined()
    await expect(tidegate.purchase(free, CAP)).rejects.toMatchObject({ code: 'NOT_OFFERED' })
    const { pathname } = new URL('/api/services/none', shop.url)
    const bare = createTidegate({ url: shop.url, rpcUrl: world.network.rpcUrl })
    const send = bare.context.api.send
    Object.assign(bare.context.api, { send: (sent: object) => send({ ...sent, path: pathname } as never) })
    expect(await bare.purchasePrice(did)).toBeUndefined()
  })

  it.each([
    ['a price above the cap', { maxPrice: { amount: '2.554999', token: 'USDC' } }, 'PRICE_TOO_HIGH'],
    ['another token than that of the cap', { maxPrice: { amount: '100', token: 'OCEAN' } }, 'PRICE_TOO_HIGH'],
    ['a price that is not accepted', { accept: () => false }, 'NOT_ACCEPTED'],
    ['terms that the asset does not have', { ...CAP, acceptTerms: 'ab'.repeat(32) }, 'TERMS_CHANGED'],
    ['no word on the price', {}, 'BAD_OPTION'],
  ])('signs nothing for %s', async (_, options, code) => {
    const customer = await Customer.with()
    await expect(customer.tidegate.purchase(did, options)).rejects.toMatchObject({ code })
    expect([customer.signed, shop.payments.length]).toEqual([0, 0])
  })

  it('signs nothing for another price than the accepted one, and without enough tokens', async () => {
    const customer = await Customer.with()
    const price = await customer.tidegate.purchasePrice(did)
    const { address: payTo } = await Buyer.with(world, '1')
    const less = { ...price, amount: { ...price?.amount, units: PRICE - 1n } }
    for (const other of [less, { ...price, payTo }])
      await expect(customer.tidegate.purchase(other as never)).rejects.toMatchObject({ code: 'PRICE_CHANGED' })
    const poor = await Customer.with('1')
    await expect(poor.tidegate.purchase(did, CAP)).rejects.toMatchObject({ code: 'INSUFFICIENT_TOKENS' })
    expect([customer.signed, poor.signed]).toEqual([0, 0])
  })

  it('sends a new payment only after onSigned has succeeded', async () => {
    const customer = await Customer.with()
    const onSigned = () => Promise.reject(new Error('not recorded'))
    await expect(customer.tidegate.purchase(did, { ...CAP, onSigned })).rejects.toThrow('not recorded')
    expect([customer.signed, shop.payments.length]).toEqual([1, 0])
    const seen: string[] = []
    const { payTo } = await customer.tidegate.purchase(did, { ...CAP, onSigned: ({ nonce }) => void seen.push(nonce) })
    const { accepted, payload } = JSON.parse(atob(shop.payments[0] as string))
    expect([seen, payTo]).toEqual([[payload.authorization.nonce], accepted.payTo])
  })

  it('says that it was refunded, by what the chain shows', async () => {
    const publisher = await world.somebody()
    const sold = await world.publishUrl(url, { pricing: { fixed: '2.5', token: 'MockUSDC' }, publisher } as never)
    const customer = await Customer.with()
    const { payTo } = await customer.buyer.terms(sold)
    const buy = () => customer.tidegate.purchase(sold.did, CAP).catch((refused) => refused)
    const error = await whilePriceRises(world, { asset: sold, publisher, payTo }, buy)
    expect(error).toMatchObject({ code: 'PURCHASE_REFUNDED', message: expect.stringContaining('the price has risen') })
    expect([await customer.paid(), customer.signed]).toEqual([0n, 1])
  })

  it('is continued by another process, with the payment of the store', async () => {
    const customer = await Customer.with()
    const kept = new Map<string, string>()
    const payments: PaymentStore = {
      find: async (key) => kept.get(key),
      add: async (key, text) => kept.set(key, kept.get(key) ?? text).get(key) as string,
      remove: async (key, text) => void (kept.get(key) === text && kept.delete(key)),
    }
    const interruption = new AbortController()
    shop.misbehave = async ({ pass }) => {
      await pass()
      interruption.abort(new Error('killed'))
    }
    const options = { ...CAP, payments, signal: interruption.signal }
    await expect(customer.tidegate.purchase(did, options)).rejects.toThrow('killed')
    expect(kept.size).toBe(1)
    shop.misbehave = ({ honestly }) => honestly()
    const bought = await customer.client().purchase(did, { ...CAP, payments })
    expect(bought).toMatchObject({ reused: false, link: {} })
    expect([await customer.paid(), customer.signed, kept.size]).toEqual([PRICE, 1, 0])
    expect(new Set(shop.payments).size).toBe(1)
  })
})

describe('a hostile shop gets one signature, and the money at most once', () => {
  const end = (response: Paying['response'], status: number, headers: Record<string, string> = {}) =>
    response.writeHead(status, headers).end('{}')
  /** Answers when the real service has ordered. */
  const afterwards =
    (answer: (response: Paying['response']) => unknown) =>
    async ({ pass, response }: Paying) => {
      await pass()
      answer(response)
    }
  const FAILED = { 'payment-response': btoa(JSON.stringify({ success: false, errorReason: 'unexpected' })) }

  it.each<[string, (paying: Paying) => unknown]>([
    ['settles and times out', afterwards(() => undefined)],
    ['settles and breaks off', afterwards((response) => response.destroy())],
    ['answers 502 after settling', afterwards((response) => end(response, 502))],
    [
      'answers 200 with an endless body after settling',
      async ({ pass, response }) => {
        await pass()
        response.writeHead(200, { 'content-type': 'application/json' })
        const write = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        }
        response.on('drain', write)
        write()
      },
    ],
    [
      'asks for a payment again after settling',
      async ({ pass, response, demand }) => {
        await pass()
        end(response, 402, { 'payment-required': await demand() })
      },
    ],
    ['redirects after settling', afterwards((response) => end(response, 302, { location: '/' }))],
    ['answers 403 without a code', async ({ response }) => void end(response, 403)],
    ['says that it is not decided', async ({ response }) => void end(response, 202, { 'retry-after': '0' })],
    [
      'invents an order',
      async ({ response, request }) => {
        const { payload } = JSON.parse(atob(request.headers['payment-signature'] as string))
        const body = { state: 'ordered', transferTxId: `0x${'12'.repeat(32)}`, consumer: payload.authorization.from }
        response.writeHead(200).end(JSON.stringify(body))
      },
    ],
  ])('if it %s, and later answers', async (what, misbehave) => {
    if (what.includes('times out')) limit({ request: 1_000 })
    const customer = await Customer.with()
    shop.misbehave = (paying) => {
      if (paying.count > 2) limit(purchasing)
      return paying.count > 2 ? paying.honestly() : misbehave(paying)
    }
    const { order, paid } = await customer.tidegate.purchase(did, CAP)
    expect(await customer.text(order)).toBe(CONTENT)
    expect(paid).toMatchObject([{ units: PRICE }])
    expect([await customer.paid(), customer.signed]).toEqual([PRICE, 1])
    expect(shop.payments.length).toBeGreaterThan(2)
    expect(new Set(shop.payments).size).toBe(1)
  })

  const dearer = (accepted: Record<string, unknown>) => Object.assign(accepted, { amount: `${PRICE + 1n}` })
  const elsewhere = (accepted: Record<string, unknown>) => Object.assign(accepted, { payTo: `0x${'1'.repeat(40)}` })

  it.each<[string, bigint, string, (paying: Paying) => unknown]>([
    [
      'asks for another price after settling',
      PRICE,
      'PAYMENT_UNCERTAIN',
      async ({ pass, response, demand }) => {
        await pass()
        end(response, 402, { 'payment-required': await demand(dearer) })
      },
    ],
    [
      'asks for another price',
      0n,
      'PAYMENT_UNCERTAIN',
      async ({ response, demand }) => end(response, 402, { 'payment-required': await demand(dearer) }),
    ],
    [
      'names another account',
      0n,
      'PAYMENT_UNCERTAIN',
      async ({ response, demand }) => end(response, 402, { 'payment-required': await demand(elsewhere) }),
    ],
    [
      'settles, and says that it failed',
      PRICE,
      'PAYMENT_UNCERTAIN',
      afterwards((response) => end(response, 402, FAILED)),
    ],
    ['says that it failed', 0n, 'PAYMENT_REFUSED', async ({ response }) => end(response, 402, FAILED)],
    [
      'refuses with a code',
      0n,
      'PURCHASE_CONFLICT',
      async ({ response }) =>
        response.writeHead(409).end(JSON.stringify({ error: 'Made before.', code: 'PURCHASE_CONFLICT' })),
    ],
  ])('if it %s; a second call sends the same payment', async (_, paid, code, misbehave) => {
    const customer = await Customer.with()
    shop.misbehave = misbehave
    const error = await customer.tidegate.purchase(did, CAP).catch((error) => error)
    const { authorization } = JSON.parse(atob(shop.payments[0] as string)).payload
    expect(error).toMatchObject({ code, authorization: { nonce: authorization.nonce, from: authorization.from } })
    expect(await customer.paid()).toBe(paid)
    expect(await paymentUse(customer.tidegate.context, error.authorization)).toBe(paid > 0n ? 'used' : 'open')
    await expect(customer.tidegate.purchase(did, CAP)).rejects.toMatchObject({ code })
    shop.misbehave = ({ honestly }) => honestly()
    const { order } = await customer.tidegate.purchase(did, CAP)
    expect(await customer.text(order)).toBe(CONTENT)
    expect([await customer.paid(), customer.signed, new Set(shop.payments).size]).toEqual([PRICE, 1, 1])
  })

  it('if it settles and never decides', async () => {
    const customer = await Customer.with()
    let isSettled = false
    shop.misbehave = async ({ pass, response }) => {
      if (!isSettled) await pass()
      isSettled = true
      end(response, 202)
    }
    limit({ most: 0 })
    await expect(customer.tidegate.purchase(did, CAP)).rejects.toMatchObject({ code: 'PAYMENT_UNCERTAIN' })
    expect([await customer.paid(), customer.signed]).toEqual([PRICE, 1])
  })

  // the last one: it moves the clock of the chain
  it('if it never decides until the payment expires; then a new one may be signed', async () => {
    const customer = await Customer.with()
    limit({ valid: { least: 60, most: 60 } })
    shop.misbehave = async ({ count, response }) => {
      if (count === 3) {
        await world.rpc('evm_increaseTime', [100])
        await world.rpc('evm_mine')
      }
      end(response, 202)
    }
    const error = await customer.tidegate.purchase(did, CAP).catch((error) => error)
    expect(error).toMatchObject({ code: 'PAYMENT_EXPIRED', message: expect.stringContaining('nothing was paid') })
    expect([await customer.paid(), customer.signed]).toEqual([0n, 1])
    expect(await paymentUse(customer.tidegate.context, error.authorization)).toBe('void')
    limit(purchasing)
    shop.misbehave = ({ honestly }) => honestly()
    await customer.tidegate.purchase(did, CAP)
    expect([await customer.paid(), customer.signed]).toEqual([PRICE, 2])
  })
})
