import { createTidegate, didOf } from '@tidegate/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FILE_ID } from '../../../test/helpers/requests.js'
import { World } from '../../../test/helpers/world.js'
import { walletFor } from './world.js'

let world: World
let paid: Awaited<ReturnType<World['publishUrl']>>
let free: typeof paid
let owner: string

beforeAll(async () => {
  world = await World.start({ EXPOSE_FILENAME: 'true' })
  const publisher = await world.somebody()
  owner = publisher.address
  const url = world.storage.file('/tides.csv', Buffer.from('a,b\n1,2\n'))
  const about = (name: string, tags: string[]) => (ddo: { metadata: object }) =>
    void Object.assign(ddo.metadata, { name, tags, description: `About ${name}\u001b[2J\nin two lines` })
  paid = await world.publishUrl(url, {
    publisher,
    pricing: { fixed: '5' },
    adjust: about('Tide tables of Brest', ['tides', 'brest']),
  })
  // with different seconds, as assets are sorted by time
  await world.rpc('evm_increaseTime', [2])
  free = await world.publishUrl(url, { publisher, adjust: about('Currents of Brest', ['currents', 'brest']) })
})
afterAll(() => world?.close())

const client = (options = {}) => createTidegate({ url: world.network.providerUrl, ...options })
const namesOf = async (options: Parameters<ReturnType<typeof client>['search']>[0]) =>
  (await client().search(options)).assets.map(({ name }) => name)

describe('asset', () => {
  it('describes an asset with its full price', async () => {
    const asset = await client({ rpcUrl: world.network.rpcUrl }).asset(paid.did)
    expect(asset).toMatchObject({
      did: paid.did,
      chainId: 8996,
      nft: paid.nft,
      owner,
      name: 'Tide tables of Brest',
      description: 'About Tide tables of Brest [2J\nin two lines',
      author: 'Harbour office',
      tags: ['tides', 'brest'],
      type: 'dataset',
      state: 'active',
      created: expect.any(Date),
      orders: 0,
    })
    const [service] = asset.services
    expect(service).toMatchObject({ id: 'tide-access', type: 'access', datatoken: paid.datatoken, timeout: 0 })
    const file = { name: 'tides.csv', contentType: 'text/csv', size: 8, available: true }
    expect(service?.files).toEqual([{ index: 0, id: expect.stringMatching(FILE_ID), ...file }])
    expect(service?.price).toMatchObject({ type: 'fixed', total: [{ symbol: 'OCEAN', decimals: 18 }] })
    expect(Number(service?.price.total[0]?.amount)).toBeGreaterThanOrEqual(5)
    expect(service?.price).not.toHaveProperty('told')
  })

  it("describes an asset from the service's data without a chain", async () => {
    const [sold] = (await client().asset(paid.did)).services
    expect(sold?.price).toMatchObject({
      type: 'fixed',
      told: true,
      total: [{ amount: '5', symbol: 'OCEAN', units: 5n * 10n ** 18n }],
    })
    expect(sold?.files).toHaveLength(1)
    expect((await client().asset(free.did)).services[0]?.price).toEqual({ type: 'free', told: true, total: [] })
  })

  it('reads the chain through the wallet', async () => {
    const asset = await client({ wallet: walletFor(world, await world.somebody()) }).asset(free.did)
    expect(asset.services[0]?.price).toEqual({ type: 'free', total: [] })
  })

  it('throws for an unknown asset and for an invalid DID', async () => {
    await expect(client().asset(`did:op:${'0'.repeat(64)}`)).rejects.toMatchObject({
      code: 'ASSET_NOT_FOUND',
      status: 404,
    })
    await expect(client().asset('../../nonce')).rejects.toMatchObject({ code: 'BAD_DID' })
  })
})

describe('search', () => {
  it.each([
    [{ text: 'tide' }, ['Tide tables of Brest']],
    [{ text: 'TABLES brest' }, ['Tide tables of Brest']],
    [{ text: 'tables currents' }, []],
    [{ text: 'brest', sort: 'name' as const }, ['Currents of Brest', 'Tide tables of Brest']],
    [{ text: 'brest', sort: 'oldest' as const }, ['Tide tables of Brest', 'Currents of Brest']],
    [{ tags: ['tides', 'brest'] }, ['Tide tables of Brest']],
    [{ tags: ['brest', 'nowhere'] }, []],
    [{ type: 'algorithm' }, []],
    [{ type: 'dataset', free: true }, ['Currents of Brest']],
    [{ free: false }, ['Tide tables of Brest']],
    [{ text: 'brest', sort: 'price' as const }, ['Currents of Brest', 'Tide tables of Brest']],
    [{ text: '"): { } AND \\ *', free: true }, []],
  ])('%j', async (options, names) => {
    expect(await namesOf(options)).toEqual(names)
  })

  it('finds by price within one token, numerically', async () => {
    const { Ocean, MockDAI } = world.network.addresses as unknown as Record<string, `0x${string}`>
    const within = (token: `0x${string}` | undefined, least?: string, most?: string) =>
      namesOf({ price: { token: token as `0x${string}`, least, most } })
    expect(await within(Ocean)).toEqual(['Tide tables of Brest'])
    expect(await within(Ocean?.toLowerCase() as `0x${string}`, '4.99', '10')).toEqual(['Tide tables of Brest'])
    expect(await within(Ocean, undefined, '4.9')).toEqual([])
    expect(await within(MockDAI)).toEqual([])
    await expect(within(Ocean, '-1')).rejects.toMatchObject({ code: 'BAD_OPTION' })
    await expect(within(Ocean, undefined, '1e3')).rejects.toMatchObject({ code: 'BAD_OPTION' })
  })

  it('finds prefixes of words on request, during typing', async () => {
    expect(await namesOf({ text: 'tide tab', beginning: true })).toEqual(['Tide tables of Brest'])
    expect(await namesOf({ text: 'tide tab' })).not.toContain('Tide tables of Brest')
  })

  it('computes the DID of a data NFT and chain', () => {
    expect(didOf(paid.nft as `0x${string}`, 8996)).toBe(paid.did)
  })

  it('finds by owner and by DID', async () => {
    expect(await namesOf({ owner: owner as `0x${string}` })).toHaveLength(2)
    expect(await namesOf({ owner: world.network.accounts[0]?.address as `0x${string}` })).toEqual([])
    expect(await namesOf({ text: paid.did })).toEqual(['Tide tables of Brest'])
  })

  it('returns pages', async () => {
    const first = await client().search({ size: 1, sort: 'oldest' })
    expect(first).toMatchObject({ page: 1, total: 2, atLeast: false, more: true })
    const second = await client().search({ size: 1, sort: 'oldest', page: 2 })
    expect(second).toMatchObject({ page: 2, total: 2, more: false })
    expect([first, second].map(({ assets }) => assets[0]?.did)).toEqual([paid.did, free.did])
    await expect(client().search({ page: 0 })).rejects.toMatchObject({ code: 'BAD_OPTION' })
    await expect(client().search({ size: 51 })).rejects.toMatchObject({ code: 'BAD_OPTION' })
  })
})
