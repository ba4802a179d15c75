import { ethers, type Signer, type Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { acquire, mined, order, quote } from '../../../../test/helpers/consume.js'
import { ocean, type ProviderFees } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadParams, downloadUrl } from '../../../../test/helpers/requests.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'
import { ARTIFACTS, artifact } from '../../../dev-network/src/contracts.js'

const ZERO = ethers.constants.AddressZero
const NO_MARKET = { consumeMarketFeeAddress: ZERO, consumeMarketFeeToken: ZERO, consumeMarketFeeAmount: '0' }

/** Forged, foreign and stale orders on the real contracts, each beside an honest one that passes. */
describe('orders', () => {
  let world: World
  let asset: Published
  let other: Published
  let buyer: Wallet

  beforeAll(async () => {
    world = await World.start({ ORDER_WAIT: '200' })
    const url = world.storage.file('/tides.csv', Buffer.from('hour,height\n'))
    // a second service of the same datatoken, so that orders can be for the wrong one
    const twoServices = (ddo: Published['ddo']) => {
      ddo.services.push({ ...(ddo.services[0] as Published['ddo']['services'][number]), id: 'second' })
    }
    asset = await world.publishUrl(url, { adjust: twoServices })
    other = await world.publishUrl(url)
    buyer = await world.somebody()
  })

  /** The answer of the service to a download with this transaction. */
  async function verdict(txId: string, consumer: Signer = buyer, of = asset): Promise<string> {
    const params = await downloadParams(of, txId, consumer)
    const { status, text, json } = await ask(`${world.network.providerUrl}/api/services/download?${params}`)
    return status === 200 ? `passes with ${text.length} bytes` : `${status} ${json.code}`
  }

  const PASSES = 'passes with 12 bytes'
  const ownQuote = async (of = asset) => quote(world.network, of, buyer.address)
  const garbageFee = (): ProviderFees => ({
    providerFeeAddress: ZERO,
    providerFeeToken: ZERO,
    providerFeeAmount: '0',
    providerData: '0x7b7d',
    v: '27',
    r: ethers.constants.HashZero,
    s: ethers.constants.HashZero,
    validUntil: '0',
  })

  async function orderWith(fee: ProviderFees, serviceIndex = 0, of = asset): Promise<string> {
    await acquire(world.network, of, buyer)
    return order(world.network, of, buyer, fee, { serviceIndex })
  }

  async function reuse(orderTxId: string, fee: ProviderFees, by: Signer = buyer, of = asset): Promise<string> {
    return mined(new ocean.Datatoken(by, world.network.chainId).reuseOrder(of.datatoken, orderTxId, fee))
  }

  it('pass with their own quote, for the consumer and for the payer', async () => {
    const friend = await world.somebody()
    const txId = await world.order(asset, buyer, friend.address)
    expect(await verdict(txId)).toBe(PASSES)
    expect(await verdict(txId, friend)).toBe(PASSES)
  })

  it('are refused to any other account (threat 3)', async () => {
    expect(await verdict(await world.order(asset, buyer), await world.somebody())).toBe('400 ORDER_WRONG_CONSUMER')
  })

  it('are refused when reverted, and within the time bound when unknown', async () => {
    expect(await verdict(`0x${'ab'.repeat(32)}`)).toBe('400 ORDER_NOT_FOUND')
    const poor = await world.somebody()
    const { abi } = artifact(ARTIFACTS.ERC20Template)
    const datatoken = new ethers.Contract(asset.datatoken, abi as never, poor)
    const { v, ...fee } = await ownQuote()
    const sent = await datatoken.startOrder?.(poor.address, 0, { v, ...fee }, NO_MARKET, { gasLimit: 500_000 })
    await sent.wait().catch(() => undefined)
    expect(await verdict(sent.hash, poor)).toBe('400 ORDER_REVERTED')
  })

  it('of another datatoken do not count, not even with the quote of this one (threat 1)', async () => {
    expect(await verdict(await orderWith(await ownQuote(asset), 0, other))).toBe('400 ORDER_NO_EVENT')
    expect(await verdict(await world.order(other, buyer), buyer, other)).toBe(PASSES)
  })

  it('do not count with a fee event of another datatoken in the same transaction (threat 1)', async () => {
    await acquire(world.network, asset, buyer)
    await acquire(world.network, other, buyer)
    expect(
      await verdict(
        await batch([
          [asset, garbageFee()],
          [other, await ownQuote(asset)],
        ]),
      ),
    ).toBe('400 ORDER_BAD_FEE')
  })

  it('do not count with the fee of another order in the same transaction (threat 20)', async () => {
    const friend = await world.somebody()
    await acquire(world.network, asset, buyer)
    await acquire(world.network, asset, buyer)
    const txId = await batch([
      [asset, garbageFee(), buyer.address],
      [asset, await ownQuote(), friend.address],
    ])
    expect(await verdict(txId, buyer)).toBe('400 ORDER_BAD_FEE')
    expect(await verdict(txId, friend)).toBe(PASSES)
  })

  /** Several orders in one transaction, through the factory. */
  async function batch(orders: [of: Published, fee: ProviderFees, consumer?: string][]): Promise<string> {
    const { chainId, addresses } = world.network
    const token = new ocean.Datatoken(buyer, chainId)
    for (const [of] of orders) await mined(token.approve(of.datatoken, addresses.ERC721Factory, '5'))
    const factory = new ocean.NftFactory(addresses.ERC721Factory, buyer, chainId)
    return mined(
      factory.startMultipleTokenOrder(
        orders.map(([of, fee, consumer = buyer.address]) => ({
          tokenAddress: of.datatoken,
          consumer,
          serviceIndex: 0,
          _providerFee: fee,
          _consumeMarketFee: NO_MARKET,
        })),
      ),
    )
  }

  it('are refused for another service of the same asset', async () => {
    expect(await verdict(await orderWith(await ownQuote(), 1))).toBe('400 ORDER_WRONG_SERVICE')
  })

  it('have every field of their quote verified (threat 20)', async () => {
    const foreign = newWallet()
    const own = await ownQuote()
    const wrongService = await ocean.ProviderInstance.initialize(
      asset.did,
      'second',
      0,
      buyer.address,
      world.network.providerUrl,
    )
    const forged: Record<string, ProviderFees> = {
      'no fee at all': garbageFee(),
      'signed by somebody else': await signedFee(foreign, { ...own, providerFeeAddress: foreign.address }),
      'signed by somebody else in the name of the provider': await signedFee(foreign, own),
      'for another datatoken': await ownQuote(other),
      'for another service': wrongService.providerFee,
      'with another token': { ...own, providerFeeToken: world.network.addresses.MockDAI },
      'with other data': { ...own, providerData: '0x7b7d' },
      'with another validity': { ...own, validUntil: '99999999999' },
    }
    const verdicts: Record<string, string> = {}
    for (const [name, fee] of Object.entries(forged))
      verdicts[name] = await orderWith(fee).then(verdict, () => 'refused by the contract')
    expect(Object.values(verdicts).filter((text) => /passes/.test(text))).toEqual([])
    // the contract checks the signature of only some of them: the service must check all
    expect(verdicts).toMatchObject({
      'no fee at all': '400 ORDER_BAD_FEE',
      'signed by somebody else': '400 ORDER_BAD_FEE',
      'for another datatoken': '400 ORDER_BAD_FEE',
      'for another service': '400 ORDER_BAD_FEE',
    })
  })

  async function signedFee(wallet: Wallet, fee: ProviderFees): Promise<ProviderFees> {
    const hash = ethers.utils.solidityKeccak256(
      ['bytes', 'address', 'address', 'uint256', 'uint256'],
      [fee.providerData, fee.providerFeeAddress, fee.providerFeeToken, fee.providerFeeAmount, fee.validUntil],
    )
    const { v, r, s } = ethers.utils.splitSignature(await wallet.signMessage(ethers.utils.arrayify(hash)))
    return { ...fee, v: v as never, r, s }
  }

  it('can be reused only by their consumer, for the same datatoken and with a valid quote (threat 2)', async () => {
    const txId = await world.order(asset, buyer)
    const stranger = await world.somebody()
    const elsewhere = await world.order(other, buyer)
    expect(await verdict(await reuse(txId, await ownQuote()))).toBe(PASSES)
    expect(await verdict(await reuse(`0x${'12'.repeat(32)}`, await ownQuote()))).toBe('400 ORDER_BAD_REUSE')
    expect(await verdict(await reuse(elsewhere, await ownQuote()))).toBe('400 ORDER_BAD_REUSE')
    expect(await verdict(await reuse(asset.txId, await ownQuote()))).toBe('400 ORDER_BAD_REUSE')
    expect(await verdict(await reuse(txId, garbageFee()))).toBe('400 ORDER_BAD_FEE')
    const foreign = await reuse(txId, await quote(world.network, asset, stranger.address), stranger)
    expect(await verdict(foreign, stranger)).toBe('400 ORDER_WRONG_CONSUMER')
  })

  it('cannot reuse a reuse (threat 2)', async () => {
    const once = await reuse(await world.order(asset, buyer), await ownQuote())
    expect(await verdict(await reuse(once, await ownQuote()))).toBe('400 ORDER_BAD_REUSE')
  })

  it('expire, and a free reuse does not renew them (threat 19)', async () => {
    const url = world.storage.file('/short.csv', Buffer.from('hour,height\n'))
    const short = await world.publishUrl(url, { timeout: 2 })
    const fee = await ownQuote(short)
    const txId = await world.order(short, buyer)
    expect(await verdict(txId, buyer, short)).toBe(PASSES)
    await expect.poll(() => verdict(txId, buyer, short), { timeout: 60_000 }).toBe('400 ORDER_EXPIRED')
    expect(await verdict(await reuse(txId, fee, buyer, short), buyer, short)).toBe('400 ORDER_EXPIRED')
    const initialized = await ask(
      `${world.network.providerUrl}/api/services/initialize?documentId=${short.did}&serviceId=tide-access&consumerAddress=${buyer.address}&transferTxId=${txId}`,
    )
    expect(initialized.json).toHaveProperty('providerFee')
  })

  it('are returned by initialize while they are valid', async () => {
    const txId = await world.order(asset, buyer)
    const { json } = await ask(
      `${world.network.providerUrl}/api/services/initialize?documentId=${asset.did}&serviceId=tide-access&consumerAddress=${buyer.address}&transferTxId=${txId}`,
    )
    expect(json).toEqual({ validOrder: txId })
  })
})

describe('unknown orders', () => {
  it('do not delay other requests (threat 14)', async () => {
    const world = await World.start({ ORDER_WAIT: '5000' })

    const { asset, buyer, txId: good } = await world.sold(world.storage.file('/a.csv', Buffer.from('a')))
    const url = async (txId: string) => await downloadUrl(world.network.providerUrl, asset, txId, buyer)
    let ended = 0
    const unknown = await Promise.all(Array.from({ length: 50 }, (_, at) => url(ethers.utils.id(`${at}`))))
    const waiting = unknown.map((one) => ask(one).finally(() => (ended += 1)))
    for (let at = 0; at < 5; at++) expect((await ask(await url(good))).status).toBe(200)
    expect(ended).toBe(0)
    for (const { json } of await Promise.all(waiting)) expect(json.code).toBe('ORDER_NOT_FOUND')
  })
})
