import { randomUUID } from 'node:crypto'
import { receiptSigner, type SignedPurchaseReceipt } from '@tidegate/protocol/purchase-receipt'
import type { PaymentPayload } from '@x402/core/types'
import type { Signer } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { withLimits } from '../../../../test/helpers/limits.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadUrl } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { PURCHASE_LIMITS } from '../../../purchases/src/limits.js'
import { Buyer, type PurchaseBody, purchaseUrl } from './buyer.js'
import { whilePriceRises } from './rising-price.js'

const CONTENT = 'hour,height\n0,3.1\n'
/** What the gas of a purchase costs on a local network. */
const GAS_FEE = 50_000n
/** 2.5 USDC, with 0.2 % for the community, and the fee. */
const PRICE = 2_505_000n + GAS_FEE

const authorizationOf = ({ payload }: PaymentPayload) => payload.authorization as Record<string, string>

describe('a purchase by one signed payment', () => {
  let world: World
  let asset: Published
  let url: string
  let publisher: Signer

  withLimits(PURCHASE_LIMITS, (limits) => {
    limits.cashier.interval = 50
  })
  beforeAll(async () => {
    world = await World.start({ PURCHASES: 'on' })
    url = world.storage.file('/tides.csv', Buffer.from(CONTENT))
    publisher = await world.somebody()
    asset = await publish(2)
  })

  const publish = (
    template: 1 | 2,
    pricing: { fixed: string; token?: 'MockUSDC' } = { fixed: '2.5', token: 'MockUSDC' },
  ) => world.publishUrl(url, { template, pricing, publisher })
  const withIdentifier = (id: string) => (payload: PaymentPayload) => {
    payload.extensions = { 'payment-identifier': { info: { required: false, id } } }
  }

  it.each([1, 2] as const)('is made by the published client, with a datatoken of template %i', async (template) => {
    const sold = template === 2 ? asset : await publish(template)
    const buyer = await Buyer.with(world, '10')
    const { amount, payTo } = await buyer.terms(sold)
    const kept = await buyer.balance(payTo)
    const response = await buyer.fetch(buyer.url(sold))
    expect(response.status).toBe(200)
    const body = (await response.json()) as PurchaseBody
    expect(body).toMatchObject({ state: 'ordered', consumer: buyer.address, refunded: '0' })
    expect((await ask(body.link?.url as string)).text).toBe(CONTENT)
    expect(await buyer.balance()).toBe(10_000_000n - BigInt(amount))
    // all but the fee went to exchange, markets and publisher
    expect(await buyer.balance(payTo)).toBe(kept + GAS_FEE)
    const coins = await world.provider.getBalance(buyer.address)
    expect(coins.toString()).toBe('0')
  })

  it('is an order like any other: the buyer downloads with a signature', async () => {
    const buyer = await Buyer.with(world, '10')
    const { transferTxId } = (await (await buyer.fetch(buyer.url(asset))).json()) as PurchaseBody
    const wallet = await world.somebody(buyer.wallet)
    const answer = await ask(await downloadUrl(world.network.providerUrl, asset, transferTxId as string, wallet))
    expect(answer.text).toBe(CONTENT)
  })

  it('is the same for the same payment, whose link only its sender gets', async () => {
    const buyer = await Buyer.with(world, '10')
    const secret = randomUUID()
    const header = await buyer.sign(await buyer.price(asset), withIdentifier(secret))
    const { payTo } = await buyer.terms(asset)
    const both = await Promise.all([buyer.pay(asset, header), buyer.pay(asset, header, 'POST')])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    const [first, second] = both
    expect(second?.body.transferTxId).toBe(first?.body.transferTxId)
    expect(await buyer.pay(asset, header)).toMatchObject({ body: { link: {}, id: first?.body.id } })
    // on the chain anybody can read the payment, but not the identifier
    const payload = JSON.parse(Buffer.from(header, 'base64').toString()) as PaymentPayload
    const known = Buffer.from(JSON.stringify({ ...payload, extensions: {} })).toString('base64')
    const seen = await buyer.pay(asset, known)
    expect(seen).toMatchObject({ status: 200, body: { transferTxId: first?.body.transferTxId } })
    expect(seen.body.link).toBeUndefined()
    expect(await buyer.balance()).toBe(10_000_000n - PRICE)
    const shown = await ask(`${world.network.providerUrl}/api/services/purchase/${first?.body.id}`)
    expect(shown.json).toMatchObject({ state: 'ordered', transferTxId: first?.body.transferTxId })
    expect(shown.json.link).toBeUndefined()
    // the account that was paid has signed what was bought
    const { receipt, transferTxId } = first?.body as PurchaseBody
    expect(receipt).toMatchObject({ documentId: asset.did, payer: buyer.address, paid: `${PRICE}`, transferTxId })
    expect(receipt?.nonce).toBe(authorizationOf(payload).nonce)
    expect(await receiptSigner(receipt as never)).toBe(payTo)
    expect([second?.body.receipt, seen.body.receipt, shown.json.receipt]).toEqual([receipt, receipt, receipt])
  })

  it('records the terms that the buyer names, by the first request with the payment', async () => {
    const buyer = await Buyer.with(world, '10')
    const header = { 'payment-signature': await buyer.sign(await buyer.price(asset)) }
    const pay = async (acceptTerms: string) =>
      ask(`${buyer.url(asset)}&${new URLSearchParams({ acceptTerms })}`, { headers: header })
    expect(await pay('terms')).toMatchObject({ status: 400, json: { errors: { acceptTerms: [expect.any(String)] } } })
    const terms = 'aB'.repeat(32)
    const { status, json } = await pay(terms)
    const receipt = json.receipt as SignedPurchaseReceipt
    expect([status, json.terms, receipt.terms]).toEqual([200, terms.toLowerCase(), terms.toLowerCase()])
    expect(await receiptSigner(receipt)).toBe((await buyer.terms(asset)).payTo)
    expect((await pay('cd'.repeat(32))).json.receipt).toEqual(receipt)
  })

  it('is refunded in full if the order cannot be made, and gives up nothing else', async () => {
    const sold = await publish(2)
    const buyer = await Buyer.with(world, '10')
    const header = await buyer.sign(await buyer.price(sold))
    const { payTo } = await buyer.terms(sold)
    const kept = await buyer.balance(payTo)
    const scene = { asset: sold, publisher, payTo }
    const { status, body, told } = await whilePriceRises(world, scene, () => buyer.pay(sold, header))
    expect(status).toBe(402)
    expect(told).toMatchObject({ success: false, errorReason: 'price_changed' })
    expect(body).toMatchObject({ state: 'refunded', refunded: `${PRICE}` })
    expect(body.receipt).toBeUndefined()
    expect(await buyer.balance()).toBe(10_000_000n)
    expect(await buyer.balance(payTo)).toBe(kept)
  })

  it.each<[string, string, (payload: PaymentPayload) => void]>([
    ['a smaller value', 'invalid_exact_evm_payload_authorization_value', (p) => (authorizationOf(p).value = '1')],
    [
      'another payee',
      'invalid_exact_evm_payload_recipient_mismatch',
      (p) => (authorizationOf(p).to = `0x${'1'.repeat(40)}`),
    ],
    [
      'a window that has ended',
      'invalid_exact_evm_payload_authorization_valid_before',
      (p) => (authorizationOf(p).validBefore = '1'),
    ],
    [
      'a window in the future',
      'invalid_exact_evm_payload_authorization_valid_after',
      (p) => (authorizationOf(p).validAfter = '4000000000'),
    ],
    ['another token', 'invalid_exact_evm_network_mismatch', (p) => (p.accepted.asset = `0x${'2'.repeat(40)}`)],
    ['another network', 'invalid_exact_evm_network_mismatch', (p) => (p.accepted.network = 'eip155:1')],
    [
      'a nonce that was not signed',
      'invalid_exact_evm_payload_signature',
      (p) => (authorizationOf(p).nonce = `0x${'3'.repeat(64)}`),
    ],
  ])('refuses a payment with %s, with 402 and the terms, and writes nothing', async (_, reason, change) => {
    const buyer = await Buyer.with(world, '10')
    const header = await buyer.sign(await buyer.price(asset), change)
    const { status, told, required } = await buyer.pay(asset, header)
    expect(status).toBe(402)
    expect(told).toMatchObject({ success: false, errorReason: reason })
    expect(required).toMatchObject({ error: reason, accepts: [{ scheme: 'exact' }] })
    expect(await buyer.balance()).toBe(10_000_000n)
  })

  it('refuses the payment of an account that holds too little', async () => {
    const buyer = await Buyer.with(world, '1')
    const answer = await buyer.pay(asset, await buyer.sign(await buyer.price(asset)))
    expect(answer).toMatchObject({ status: 402, told: { errorReason: 'insufficient_funds' } })
  })

  it('refuses a payment for something else that was made before', async () => {
    const buyer = await Buyer.with(world, '10')
    const header = await buyer.sign(await buyer.price(asset))
    expect((await buyer.pay(asset, header)).status).toBe(200)
    const other = await publish(2)
    expect(await buyer.pay(other, header)).toMatchObject({ status: 409, body: { code: 'PURCHASE_CONFLICT' } })
  })

  it('offers no purchase of what is free or priced in another token', async () => {
    const free = await world.publishUrl(url)
    const ocean = await publish(2, { fixed: '1' })
    const buyer = await Buyer.with(world, '10')
    for (const sold of [free, ocean]) expect((await ask(buyer.url(sold))).json).toMatchObject({ code: 'NOT_OFFERED' })
  })

  it.each([
    ['no base64', '%%%'],
    ['no JSON', Buffer.from('{').toString('base64')],
    ['no payment', Buffer.from('{"x402Version":2}').toString('base64')],
    ['many bytes', 'A'.repeat(9_000)],
  ])('answers a header with %s by its field', async (_, header) => {
    const { status, json } = await ask(purchaseUrl(world, asset), { headers: { 'payment-signature': header } })
    expect(status).toBe(400)
    expect(json.errors).toHaveProperty('PAYMENT-SIGNATURE')
  })
})
