import { createHash, randomBytes } from 'node:crypto'
import { ethers } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { acquire, downloadUrl, mined, order, quietly, quote } from '../helpers/consume.js'
import { ocean } from '../helpers/ocean.js'
import { type Pricing, publish } from '../helpers/publish.js'
import { newWallet } from '../helpers/wallet.js'
import { World } from '../helpers/world.js'

const { ProviderInstance, Aquarius } = ocean

/** What a program with the unmodified @oceanprotocol/lib 3.4.6 does, against one base URL for provider and metadata. */
describe('@oceanprotocol/lib 3.4.6', () => {
  let world: World
  let url: string
  const file = randomBytes(3_000_000)

  beforeAll(async () => {
    world = await World.start()
    url = world.network.providerUrl
  })

  it.each([
    ['a dispenser, template 1', 'free', 1],
    ['a fixed rate, template 1', { fixed: '2.5' }, 1],
    ['a dispenser, template 2', 'free', 2],
  ] as [string, Pricing, 1 | 2][])('publishes, orders and downloads with %s', async (_name, pricing, template) => {
    const [publisher, consumer] = [await world.somebody(), await world.somebody()]
    const fileUrl = world.storage.file('/tides.bin', file, 'application/octet-stream')
    await giveOcean(consumer.address)

    const files = [{ type: 'url', url: fileUrl, method: 'GET' }]
    const asset = await publish({ network: world.network, publisher, files, pricing, template })
    const document = await new Aquarius(url).waitForIndexer(asset.did, asset.txId, undefined, 50, 200)
    expect(document).toMatchObject({ ...asset.ddo, event: { txid: asset.txId } })
    expect(await new Aquarius(url).resolve(asset.did)).toEqual(document)
    expect(document.stats.price.value).toBe(pricing === 'free' ? 0 : 2.5)

    const [info] = await ProviderInstance.checkDidFiles(asset.did, 'tide-access', url, true)
    const sha256 = createHash('sha256').update(file).digest('hex')
    expect(info).toMatchObject({ valid: true, contentLength: '3000000', checksum: sha256 })

    const fee = await quote(world.network, asset, consumer.address)
    const txId = template === 1 ? await buyThenOrder() : await buyAndOrder()
    const response = await fetch(await downloadUrl(world.network, asset, txId, consumer))
    expect(response.headers.get('content-disposition')).toBe('attachment;filename=tides.bin')
    expect(
      createHash('sha256')
        .update(Buffer.from(await response.arrayBuffer()))
        .digest('hex'),
    ).toBe(sha256)

    const viaLibrary = await ocean.downloadFile(await downloadUrl(world.network, asset, txId, consumer))
    expect(viaLibrary).toMatchObject({ filename: 'tides.bin', data: { byteLength: 3_000_000 } })

    async function buyThenOrder() {
      await acquire(world.network, asset, consumer)
      return order(world.network, asset, consumer, fee)
    }
    async function buyAndOrder() {
      const addressZero = ethers.constants.AddressZero
      const market = {
        consumeMarketFeeAddress: addressZero,
        consumeMarketFeeToken: addressZero,
        consumeMarketFeeAmount: '0',
      }
      const params = { consumer: consumer.address, serviceIndex: 0, _providerFee: fee, _consumeMarketFee: market }
      const datatoken = new ocean.Datatoken(consumer, world.network.chainId)
      return mined(datatoken.buyFromDispenserAndOrder(asset.datatoken, params, world.network.addresses.Dispenser))
    }
  })

  async function giveOcean(to: string): Promise<void> {
    const abi = ['function transfer(address,uint256)']
    const token = new ethers.Contract(world.network.addresses.Ocean, abi, world.provider.getSigner(0))
    await mined(token.transfer?.(to, ethers.utils.parseEther('10')))
  }

  it('finds a valid provider, and fetches nonces', async () => {
    expect(await ProviderInstance.isValidProvider(url)).toBe(true)
    expect(await quietly(() => ProviderInstance.getNonce(url, newWallet().address))).toBe(1)
  })

  it('gets information about a storage object', async () => {
    const fileUrl = world.storage.file('/one.csv', Buffer.from('1'))
    const urlFile = { type: 'url' as const, index: 0, url: fileUrl, method: 'GET' }
    expect(await ProviderInstance.getFileInfo(urlFile, url)).toEqual([
      { index: 0, valid: true, type: 'url', contentLength: '1', contentType: 'text/csv', filename: 'one.csv' },
    ])
  })

  it('encrypts what only the provider can read', async () => {
    const encrypted = await ProviderInstance.encrypt({ secret: 1 }, world.network.chainId, url)
    expect(encrypted).toMatch(/^0x04[0-9a-f]+$/)
  })

  it('validates a DDO with a proof that the NFT contract accepts', async () => {
    const publisher = await world.somebody()
    const asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')), { publisher })
    const { proof, hash, valid } = await new Aquarius(url).validate(asset.ddo)
    expect(valid).toBe(true)
    expect(hash).toBe(`0x${ocean.getHash(JSON.stringify(asset.ddo))}`)
    expect(proof?.validatorAddress).toBe(world.network.providerAddress)
    const receipt = await world.provider.getTransactionReceipt(asset.txId)
    const validated = ethers.utils.id('MetadataValidated(address,bytes32,uint8,bytes32,bytes32)')
    expect(receipt.logs.some(({ topics }) => topics[0] === validated)).toBe(true)
  })
})
