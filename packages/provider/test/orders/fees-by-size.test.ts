import { ethers, type Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { acquire, mined, order } from '../../../../test/helpers/consume.js'
import { createLink } from '../../../../test/helpers/links.js'
import { ocean, type ProviderFees } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadParams } from '../../../../test/helpers/requests.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'

const SMALL = Buffer.alloc(10, 'a')
const LARGE = Buffer.alloc(5000, 'b')
const ZERO = ethers.constants.AddressZero
const NO_MARKET = { consumeMarketFeeAddress: ZERO, consumeMarketFeeToken: ZERO, consumeMarketFeeAmount: '0' }
const TEMPLATES = [1, 2] as const
const ERC20 = [
  'function transfer(address,uint256)',
  'function approve(address,uint256)',
  'function balanceOf(address) view returns (uint256)',
]

/** Rules with a fee per GiB: an order opens the files that its fee has counted. */
describe('a fee by size', () => {
  let world: World
  let buyer: Wallet
  /** Publishes without a fee by size. */
  const partner = newWallet()

  beforeAll(async () => {
    world = await World.start({
      PROVIDER_FEES: JSON.stringify([
        { name: 'flat', publisher: partner.address, flat: '7' },
        // one unit for each byte
        { name: 'by-size', perGiB: String(2 ** 30) },
      ]),
    })
    buyer = await world.somebody()
    const token = new ethers.Contract(world.network.addresses.Ocean, ERC20, world.provider.getSigner(0))
    await mined(token.transfer?.(buyer.address, ethers.utils.parseEther('1')))
    await world.rpc('anvil_setBalance', [partner.address, '0x56bc75e2d63100000'])
  })

  let published = 0
  const fileOf = (content: Buffer) => {
    published += 1
    return { type: 'url', url: world.storage.file(`/file-${published}`, content), method: 'GET' }
  }
  const publish = async (files: object[], options = {}) => {
    const asset = await world.publish({ files, ...options })
    const token = new ethers.Contract(world.network.addresses.Ocean, ERC20, buyer)
    await mined(token.approve?.(asset.datatoken, ethers.utils.parseEther('1')))
    return asset
  }

  const initialize = (asset: Published, query: Record<string, string> = {}) => {
    const about = { documentId: asset.did, serviceId: 'tide-access', consumerAddress: buyer.address }
    return ask(`${world.network.providerUrl}/api/services/initialize?${new URLSearchParams({ ...about, ...query })}`)
  }
  /** The fee for one file, or for all of them. */
  async function feeFor(asset: Published, file?: number): Promise<ProviderFees> {
    const { json, text } = await initialize(asset, file === undefined ? {} : { fileIndex: String(file) })
    if (!json.providerFee) throw new Error(text)
    return json.providerFee as ProviderFees
  }
  async function ordered(asset: Published, fee: ProviderFees): Promise<string> {
    await acquire(world.network, asset, buyer)
    return order(world.network, asset, buyer, fee)
  }
  /** The way to order of template 2, whose datatokens are handed out only as they are spent. */
  function combined({ datatoken }: Published, fee: ProviderFees): Promise<string> {
    const { chainId, addresses } = world.network
    const params = { consumer: buyer.address, serviceIndex: 0, _providerFee: fee, _consumeMarketFee: NO_MARKET }
    return mined(new ocean.Datatoken(buyer, chainId).buyFromDispenserAndOrder(datatoken, params, addresses.Dispenser))
  }
  const reused = (asset: Published, txId: string, fee: ProviderFees) =>
    mined(new ocean.Datatoken(buyer, world.network.chainId).reuseOrder(asset.datatoken, txId, fee))
  const indexIn = ({ providerData }: ProviderFees) => JSON.parse(ethers.utils.toUtf8String(providerData)).fileIndex

  /** Everything that a transaction opens of two files: downloads, heads, links, and orders to be used again. */
  async function openedBy(asset: Published, txId: string) {
    const base = world.network.providerUrl
    const opened: Record<string, unknown> = {}
    for (const fileIndex of ['0', '1']) {
      const verdict = async (method: string) => {
        const params = await downloadParams(asset, txId, buyer, { fileIndex })
        const { status, json, text } = await ask(`${base}/api/services/download?${params}`, { method })
        return status === 200 ? text.length : method === 'HEAD' ? status : json.code
      }
      const link = await createLink(base, asset, txId, buyer, { fileIndex: Number(fileIndex) })
      const valid = await initialize(asset, { transferTxId: txId, fileIndex })
      opened[fileIndex] = {
        get: await verdict('GET'),
        head: await verdict('HEAD'),
        link: link.status === 201 ? (await ask(link.url)).text.length : link.json.code,
        valid: 'validOrder' in valid.json,
      }
    }
    const { json } = await initialize(asset, { transferTxId: txId })
    return { ...opened, all: 'validOrder' in json }
  }
  const has = ({ length }: Buffer) => ({ get: length, head: 0, link: length, valid: true })
  const NOT = { get: 'ORDER_WRONG_FILE', head: 400, link: 'ORDER_WRONG_FILE', valid: false }

  it.each(
    TEMPLATES,
  )('counts what the order opens: one file, or all of them, for template %i (threat 94)', async (template) => {
    const asset = await publish([fileOf(SMALL), fileOf(LARGE)], { template })
    const buy = template === 1 ? ordered : combined
    const [small, large, all] = [await feeFor(asset, 0), await feeFor(asset, 1), await feeFor(asset)]
    expect([small, large, all].map((fee) => fee.providerFeeAmount)).toEqual(['10', '5000', '5010'])
    expect([small, large, all].map(indexIn)).toEqual([0, 1, undefined])
    expect(await openedBy(asset, await buy(asset, small))).toEqual({ 0: has(SMALL), 1: NOT, all: false })
    expect(await openedBy(asset, await buy(asset, large))).toEqual({ 0: NOT, 1: has(LARGE), all: false })
    expect(await openedBy(asset, await buy(asset, all))).toEqual({ 0: has(SMALL), 1: has(LARGE), all: true })
  })

  it('opens by a reuse what both its fee and that of the order have paid for (threat 94)', async () => {
    const asset = await publish([fileOf(SMALL), fileOf(LARGE)])
    const [small, large, all] = [await feeFor(asset, 0), await feeFor(asset, 1), await feeFor(asset)]
    const [bound, whole] = [await ordered(asset, small), await ordered(asset, all)]
    const opened = async (txId: string, fee: ProviderFees) => openedBy(asset, await reused(asset, txId, fee))
    expect(await opened(bound, small)).toEqual({ 0: has(SMALL), 1: NOT, all: false })
    expect(await opened(bound, large)).toEqual({ 0: NOT, 1: NOT, all: false })
    expect(await opened(bound, all)).toEqual({ 0: has(SMALL), 1: NOT, all: false })
    expect(await opened(whole, small)).toEqual({ 0: has(SMALL), 1: NOT, all: false })
    expect(await opened(whole, all)).toEqual({ 0: has(SMALL), 1: has(LARGE), all: true })
    // a reuse changes nothing for the orders themselves
    expect(await openedBy(asset, bound)).toEqual({ 0: has(SMALL), 1: NOT, all: false })
    expect(await openedBy(asset, whole)).toEqual({ 0: has(SMALL), 1: has(LARGE), all: true })
  })

  it('of a service with one file opens it whether or not the file is named', async () => {
    const asset = await publish([fileOf(SMALL)])
    const txId = await ordered(asset, await feeFor(asset, 0))
    expect((await initialize(asset, { transferTxId: txId })).json).toEqual({ validOrder: txId })
    expect((await initialize(asset, { transferTxId: txId, fileIndex: '0' })).json).toEqual({ validOrder: txId })
  })

  it('is what binds an order: with a flat fee, the order for a named file opens all of them', async () => {
    const asset = await publish([fileOf(SMALL), fileOf(LARGE)], { publisher: partner.connect(world.provider) })
    const fee = await feeFor(asset, 0)
    expect([fee.providerFeeAmount, indexIn(fee)]).toEqual(['7', undefined])
    expect(await openedBy(asset, await ordered(asset, fee))).toEqual({ 0: has(SMALL), 1: has(LARGE), all: true })
  })

  it('is not quoted while a file that it counts is unavailable (threat 94)', async () => {
    const content = Buffer.alloc(300)
    const path = '/away'
    const away = {
      type: 'url',
      url: world.storage.on(path, (_, response) => void response.writeHead(404).end()),
      method: 'GET',
    }
    const never = { type: 'pigeon', url: 'http://nowhere.example/' }
    const unknown = { type: 'url', url: fileOf(LARGE).url, method: 'POST' }
    const asset = await publish([fileOf(SMALL), never, away, unknown])
    expect((await initialize(asset)).json).toMatchObject({
      code: 'FILE_UNAVAILABLE',
      error: expect.stringMatching(/^Asset URL not found, not available or invalid\..* file 2\.$/),
    })
    expect((await initialize(asset, { fileIndex: '2' })).json).toMatchObject({ code: 'FILE_UNAVAILABLE' })
    expect((await feeFor(asset, 0)).providerFeeAmount).toBe('10')
    world.storage.file(path, content)
    // the descriptor of a POST tells no size, and an unsupported one is never delivered: both count as zero
    await expect.poll(async () => (await initialize(asset)).status, { timeout: 60_000 }).toBe(200)
    expect((await feeFor(asset)).providerFeeAmount).toBe('310')
  })

  it('costs one storage request for each file, and none for more files than a service may have (threat 94)', async () => {
    const many = Array.from({ length: 40 }, () => fileOf(SMALL))
    const asset = await publish(many)
    const before = world.storage.requests.length
    const fees = await Promise.all([feeFor(asset), feeFor(asset), feeFor(asset)])
    expect(fees.map((fee) => fee.providerFeeAmount)).toEqual(['400', '400', '400'])
    expect(world.storage.requests.length - before).toBe(40)

    // the first unavailable file ends it: at most 8 are asked about concurrently, each by HEAD and GET
    const gone = { ...fileOf(SMALL), url: `${world.storage.origin}/gone` }
    const broken = await publish([gone, ...Array.from({ length: 40 }, () => fileOf(SMALL))])
    const until = world.storage.requests.length
    expect((await initialize(broken)).json).toMatchObject({ code: 'FILE_UNAVAILABLE' })
    expect(world.storage.requests.length - until).toBeLessThanOrEqual(16)

    const tooMany = await publish(Array.from({ length: 10_001 }, () => ({ type: 'x' })))
    const last = world.storage.requests.length
    expect((await initialize(tooMany)).json).toMatchObject({ code: 'FILES_UNREADABLE' })
    expect(world.storage.requests.length).toBe(last)
  })
})
