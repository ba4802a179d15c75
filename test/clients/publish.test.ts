import { createHash } from 'node:crypto'
import { ethers, type Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { mined, quietly } from '../helpers/consume.js'
import { World } from '../helpers/world.js'
import { clientEnvironment, type Draft, GENERATIONS, type Generation, type Served } from './generations.js'

/** Milliseconds between two looks for what was published: each is a request, and the index looks at the chain every 200. */
const PAUSE = 60

/** Each generation publishes, searches, buys and downloads with its own helpers, unmodified, against one service. */
describe('publishing with the helpers of @oceanprotocol/lib', () => {
  let world: World
  let url: string
  const CONTENT = 'hour,height\n00:00,3.1\n'

  beforeAll(async () => {
    world = await World.start()
    url = world.network.providerUrl
    const environment = clientEnvironment(world.local.addressFile, url)
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  })
  afterAll(() => void vi.unstubAllEnvs())

  /** Publishes and waits, as the library does. */
  async function published({ createAsset, aquarius }: Generation, draft: Omit<Draft, 'url'>, signer: unknown) {
    const file = world.storage.file(`/${draft.name}.csv`, Buffer.from(CONTENT))
    const did = await quietly(() => createAsset({ ...draft, url: file }, signer, url))
    return aquarius(url).waitForIndexer(did, undefined, undefined, PAUSE, 400)
  }

  async function giveOcean(to: string): Promise<void> {
    const abi = ['function transfer(address,uint256)']
    const token = new ethers.Contract(world.network.addresses.Ocean, abi, world.provider.getSigner(0))
    await mined(token.transfer?.(to, ethers.utils.parseEther('10')))
  }

  async function downloaded({ client, downloadFile }: Generation, asset: Served, txId: string, signer: unknown) {
    const service = asset.services[0]?.id as string
    const link = await quietly(() => client.getDownloadUrl(asset.id, service, 0, txId, url, signer))
    return downloadFile(link)
  }

  describe.each(GENERATIONS)('$name', (generation) => {
    let wallet: Wallet
    let signer: unknown
    beforeAll(async () => {
      wallet = await world.somebody()
      signer = generation.signer(wallet)
      await giveOcean(wallet.address)
    })

    it.each([
      ['encrypted, free', { price: '0' }],
      ['plain, free', { price: '0', encrypted: false }],
      ['encrypted, at a fixed price', { price: '2.5' }],
      ['encrypted, at a fixed price, template 2', { price: '2.5', template: 2 }],
    ] as [string, Partial<Draft>][])('publishes, orders and downloads: %s', async (title, draft) => {
      const name = `${title.replace(/\W+/g, '-')}-${generation.name}`
      const asset = await published(generation, { name, ...draft }, signer)
      expect(asset).toMatchObject({ metadata: { name }, services: [{ serviceEndpoint: url }] })

      const [info] = await generation.client.checkDidFiles(asset.id, 'tide-access', url, true)
      const sha256 = createHash('sha256').update(CONTENT).digest('hex')
      expect(info).toMatchObject({ valid: true, contentLength: '22', checksum: sha256 })

      const txId = await generation.order(asset, signer, url)
      const file = await downloaded(generation, asset, txId, signer)
      expect(Buffer.from(file.data).toString()).toBe(CONTENT)
      expect(file.filename).toBe(`${name}.csv`)
    })

    it('finds what it has published, and fetches its metadata alone', async () => {
      const name = `findable-${generation.name}`
      const asset = await published(generation, { name }, signer)
      const cache = generation.aquarius(url)
      expect(await cache.resolve(asset.id)).toEqual(asset)
      expect(await cache.getAssetMetadata(asset.id)).toEqual(asset.metadata)
      const { hits } = await cache.querySearch({ query: { match: { 'metadata.name': name } } })
      expect(hits.hits[0]?._source.id).toBe(asset.id)
      const exactly = { bool: { filter: [{ term: { 'metadata.tags.keyword': name } }, { term: { _id: asset.id } }] } }
      expect(await cache.querySearch({ query: exactly })).toMatchObject({ hits: { total: { value: 1 } } })
    })

    it('publishes a document with fields that an index adds, as ocean-cli does', async () => {
      const nft = { address: '', name: 'Ocean Data NFT', symbol: 'OCEAN-NFT', state: 5, tokenURI: '', owner: '' }
      const stats = [{ name: '', symbol: '', orders: 9, prices: [{ type: 'fixedrate', price: '0' }] }]
      const fields = generation.modern
        ? { indexedMetadata: { nft, event: { txid: '' }, purgatory: { state: true }, stats }, datatokens: [] }
        : { nft, event: {}, purgatory: { state: true }, datatokens: [], stats: { orders: 9, price: { value: '0' } } }
      const asset = await published(generation, { name: `brought-${generation.name}`, fields }, signer)
      expect(asset).toMatchObject({
        nft: { name: `brought-${generation.name}`, state: 0, owner: wallet.address },
        indexedMetadata: { stats: [{ orders: 0, prices: [{ type: 'dispenser', price: '0' }] }] },
      })
      expect(asset.indexedMetadata).toMatchObject({ nft: asset.nft, event: asset.event, purgatory: { state: false } })
      const file = await downloaded(generation, asset, await generation.order(asset, signer, url), signer)
      expect(Buffer.from(file.data).toString()).toBe(CONTENT)
    })

    it.each([true, false])('updates a served document, and waits for the update; encrypted: %s', async (encrypted) => {
      const asset = await published(generation, { name: `changing-${encrypted}-${generation.name}` }, signer)
      asset.metadata.name = 'changed'
      const txId = await quietly(() => generation.update(asset, signer, url, encrypted))
      const changed = await generation.aquarius(url).waitForIndexer(asset.id, txId, undefined, PAUSE, 400)
      expect(changed).toMatchObject({ id: asset.id, metadata: { name: 'changed' }, event: { txid: txId } })
    })

    it('gets a proof of validation from the provider', async () => {
      const asset = await published(generation, { name: `valid-${generation.name}` }, signer)
      const { valid, hash, proof } = await quietly(() => generation.validate(asset, signer, url))
      expect(valid).toBe(true)
      expect(hash).toBe(`0x${createHash('sha256').update(JSON.stringify(asset)).digest('hex')}`)
      expect(proof.validatorAddress).toBe(world.network.providerAddress)
    })

    it('publishes, orders and downloads with an account that a node signs for', async () => {
      const account = 2 + GENERATIONS.indexOf(generation)
      const held = await generation.nodeSigner(world.network.rpcUrl, account)
      const asset = await published(generation, { name: `held-${generation.name}`, price: '0' }, held)
      expect(asset.nft).toMatchObject({ owner: world.network.accounts[account]?.address })
      const file = await downloaded(generation, asset, await generation.order(asset, held, url), held)
      expect(Buffer.from(file.data).toString()).toBe(CONTENT)
    })

    it('learns that an asset does not exist', async () => {
      const absent = `did:op:${'0'.repeat(64)}`
      const cache = generation.aquarius(url)
      await expect(cache.resolve(absent)).rejects.toThrow('HTTP request failed')
      await expect(cache.getAssetMetadata(absent)).rejects.toThrow(/404/)
      expect(await cache.waitForIndexer(absent, undefined, undefined, 1, 2)).toBeNull()
    })
  })

  it('the other generations buy what the first one has published', async () => {
    const [publisher, ...buyers] = GENERATIONS as [Generation, ...Generation[]]
    const asset = await published(publisher, { name: 'for-all', price: '0' }, publisher.signer(await world.somebody()))
    for (const buyer of buyers) {
      const signer = buyer.signer(await world.somebody())
      const found = await buyer.aquarius(url).resolve(asset.id)
      const file = await downloaded(buyer, found, await buyer.order(found, signer, url), signer)
      expect(Buffer.from(file.data).toString()).toBe(CONTENT)
    }
  })
})
