import { parse, validate } from 'fast-xml-parser'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { publishDocument } from '../../../../test/helpers/publish.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { publicCatalogue } from './public-catalogue.js'

describe('feeds of the public catalogue', () => {
  let shop: Awaited<ReturnType<typeof publicCatalogue>>
  beforeAll(async () => {
    shop = await publicCatalogue()
  })

  interface Feed {
    id: string
    updated: string
    link: { rel: string; href: string }[]
    entry: {
      id: string
      title: string
      updated: string
      author: { name: string; uri: string }
      content: { '#text': string }
    }[]
  }
  const parsed = async (path: string): Promise<Feed> => {
    const { status, text, headers } = await shop.page(path)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8'])
    expect(validate(text)).toBe(true)
    const { feed } = parse(text, { ignoreAttributes: false, attributeNamePrefix: '' })
    for (const { updated } of [feed, ...[feed.entry].flat()])
      expect(updated).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    return { ...feed, entry: [feed.entry].flat() }
  }
  const base = () => shop.world.network.providerUrl

  it('tell the newest assets, of all and of a seller, and name their own address', async () => {
    for (const path of ['/catalogue', `/seller/${shop.publisher.address}`]) {
      const feed = await parsed(`${path}.atom`)
      expect(feed.id).toBe(`${base()}${path}`)
      expect(feed.link).toEqual([
        expect.objectContaining({ rel: 'self', href: `${base()}${path}.atom` }),
        expect.objectContaining({ rel: 'alternate', href: `${base()}${path}` }),
      ])
      const ids = feed.entry.map(({ id }) => id)
      expect(ids).toEqual([...new Set(ids)])
      expect(ids).toEqual(expect.arrayContaining([shop.winds.did, shop.tides.did]))
      const entry = feed.entry.find(({ id }) => id === shop.tides.did)
      expect(entry).toMatchObject({ title: 'Tide tables', author: { name: 'Harbour Office of Brest' } })
      expect(entry?.content['#text']).toContain('Price: 5 OCEAN')
      expect((await shop.page(path)).text).toContain(
        `<link rel="alternate" type="application/atom+xml" href="${base()}${path}.atom">`,
      )
    }
  })

  it('tell each version of an asset as a new entry', async () => {
    const path = `/asset/${shop.tides.did}`
    const { entry, id } = await parsed(`${path}.atom`)
    expect([id, entry.map((one) => one.id)]).toEqual([
      `${shop.tides.did}#versions`,
      [`${shop.tides.did}#${shop.tides.txId}`],
    ])
    expect(entry[0]?.content['#text']).toContain('Files: 2026/tides.csv')
    expect((await shop.page(path)).text).toContain(`href="${base()}${path}.atom">`)
    const asset = await shop.publish('Versions', { pricing: 'free' })
    const metadata = { ...asset.ddo.metadata, description: 'The second one' }
    const txId = await publishDocument({ network: shop.world.network, publisher: shop.publisher }, asset.nft, {
      ...asset.ddo,
      metadata,
    })
    await shop.world.indexed(txId)
    const later = await parsed(`/asset/${asset.did}.atom`)
    expect(later.entry).toMatchObject([{ id: `${asset.did}#${txId}` }])
    expect(later.entry[0]?.content['#text']).toContain('The second one')
  })

  it('are validated by their tag, and kept like pages (threat 126)', async () => {
    for (const path of ['/catalogue.atom', `/seller/${shop.publisher.address}.atom`, `/asset/${shop.tides.did}.atom`]) {
      const { headers } = await shop.page(path)
      expect(headers.get('cache-control')).toBe('public, max-age=60')
      const again = await shop.page(path, { 'if-none-match': headers.get('etag') as string })
      expect([again.status, again.text]).toEqual([304, ''])
      const find = vi.spyOn(shop.world.local.app.context.services.catalog.search, 'find')
      await Promise.all(Array.from({ length: 8 }, () => shop.page(path)))
      expect(find.mock.calls.filter(([{ source }]) => source).length, path).toBe(0)
      find.mockRestore()
    }
  })

  it('are missing if they would be empty', async () => {
    for (const path of [`/seller/${newWallet().address}.atom`, '/seller/0x12.atom', '/asset/did:op:00.atom'])
      expect((await shop.page(path)).status, path).toBe(404)
  })
})
