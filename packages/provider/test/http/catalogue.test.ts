import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ethers } from 'ethers'
import { parse, validate } from 'fast-xml-parser'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { mined } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { type Published, publishDocument } from '../../../../test/helpers/publish.js'
import { ask } from '../../../../test/helpers/requests.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'
import { createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'

/** CATALOGUE=public: pages, descriptions, catalogue and sitemap. */
describe('the public catalogue', () => {
  const folder = newFolder()
  const purgatory = join(folder, 'purgatory.json')
  const office = newWallet()
  let world: World
  let tides: Published
  let winds: Published
  let publisher: ethers.Wallet

  beforeAll(async () => {
    writeFileSync(purgatory, '[]')
    world = await World.start({
      CATALOGUE: 'public',
      PURGATORY_ASSETS: purgatory,
      PURGATORY_INTERVAL: '100',
      VERIFIED_PUBLISHERS: `${office.address}=Harbour Office of Brest`,
    })
    publisher = await world.somebody(office)
    tides = await publish('Tide tables', { pricing: { fixed: '5' } })
    winds = await publish('Winds', { pricing: 'free' })
  })

  function publish(name: string, options: { pricing: 'free' | { fixed: string } }) {
    const url = world.storage.file(`/${name}.csv`, Buffer.from('a,b'))
    return world.publish({
      ...options,
      publisher,
      files: [{ type: 'url', url, method: 'GET', name: '2026/tides.csv' }],
      adjust: ({ metadata }) =>
        Object.assign(metadata, { name, license: 'CC-BY-4.0', author: 'Harbour office', tags: ['sea'] }),
    })
  }
  const page = (path: string, headers: Record<string, string> = {}) =>
    ask(`${world.network.providerUrl}${path}`, { headers })
  const linked = async (): Promise<string[]> => (await page('/sitemap-1.xml')).text.match(/did:op:[0-9a-f]{64}/g) ?? []
  const listed = async (): Promise<string[]> =>
    (await page('/catalogue')).text.match(/(?<=asset\/)did:op:[0-9a-f]{64}/g) ?? []

  it('has a page for each asset, which says what it is and costs', async () => {
    const { status, text, headers } = await page(`/asset/${tides.did}`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(headers.get('link')).toContain('rel="describedby"; type="application/ld+json"')
    for (const words of ['<h1>Tide tables</h1>', '5 OCEAN', '2026/tides.csv', 'Harbour office', 'rel="canonical"'])
      expect(text).toContain(words)
    const [, block] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(text) ?? []
    const { json } = await page(`/api/catalogue/${tides.did}`)
    expect(JSON.parse(block as string)).toEqual(json)
    expect(json).toMatchObject({
      ...{ '@type': 'Dataset', identifier: tides.did, isAccessibleForFree: false },
      license: 'https://spdx.org/licenses/CC-BY-4.0.html',
      offers: [{ priceSpecification: { price: '5', name: 'OCEAN' } }],
      distribution: [{ name: '2026/tides.csv' }],
    })
    expect((await page(`/api/catalogue/${winds.did}`)).json).toMatchObject({ isAccessibleForFree: true })
  })

  it('negotiates the format, and tells a cache what it holds', async () => {
    const path = `/api/catalogue/${tides.did}`
    const type = async (accept: string) => (await page(path, { accept })).headers.get('content-type')
    expect(await type('application/ld+json; profile="http://mlcommons.org/croissant/1.1"')).toContain('croissant')
    expect(await type('application/ld+json; profile="http://www.w3.org/ns/dcat#"')).toContain('dcat')
    expect(await type('*/*')).toBe('application/ld+json; charset=utf-8')
    expect((await page(`${path}?format=croissant`)).json).toMatchObject({
      conformsTo: 'http://mlcommons.org/croissant/1.1',
    })
    const { status, json } = await page(`${path}?format=rdf`)
    expect([status, json.errors]).toEqual([
      400,
      { format: ['The format field must be one of schema.org, croissant, dcat.'] },
    ])
    const etag = (await page(`/asset/${tides.did}`)).headers.get('etag') as string
    expect((await page(`/asset/${tides.did}`, { 'if-none-match': etag })).status).toBe(304)
  })

  it('lists assets for people, portals and crawlers', async () => {
    expect(await listed()).toEqual([winds.did, tides.did])
    expect(await linked()).toEqual([winds.did, tides.did])
    expect((await page('/sitemap.xml')).text).toContain('/sitemap-1.xml</loc>')
    expect((await page('/robots.txt')).text).toContain(`Sitemap: ${world.network.providerUrl}/sitemap.xml`)
    const { json } = await page('/catalogue.jsonld')
    expect(json).toMatchObject({ '@graph': [{ 'hydra:totalItems': 2 }, { 'dcat:dataset': [{}, {}] }] })
    for (const path of ['/catalogue?page=0', '/catalogue.jsonld?page=x', '/catalogue?page=20001'])
      expect((await page(path)).json).toMatchObject({
        errors: { page: [expect.stringContaining('The page field must be')] },
      })
    for (const path of ['/sitemap-0.xml', '/sitemap-99.xml', '/sitemap-1e1.xml'])
      expect((await page(path)).status).toBe(404)
  })

  it('makes a page once for all who want it at one time, and keeps it for a while (threat 126)', async () => {
    const find = vi.spyOn(world.local.app.context.services.catalog.search, 'find')
    const readings = () => find.mock.calls.filter(([{ source }]) => source).length
    const eight = async (path: string) => {
      find.mockClear()
      const answers = await Promise.all(Array.from({ length: 8 }, () => page(path)))
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
      return readings()
    }
    // another list of assets than before
    await publish('Waves', { pricing: 'free' })
    expect(await eight('/catalogue')).toBe(1)
    await page('/catalogue.jsonld')
    for (const path of ['/catalogue', '/catalogue.jsonld', `/asset/${tides.did}`, `/api/catalogue/${tides.did}`])
      expect(await eight(path), path).toBe(0)
    find.mockRestore()
  })

  it('tells nothing that a search hides (threat 109)', async () => {
    const asset = await publish('Secret', { pricing: 'free' })
    const nft = new ethers.Contract(asset.nft, ['function setMetaDataState(uint8)'], publisher)
    const formats = () =>
      Promise.all([
        page(`/asset/${asset.did}`),
        page(`/asset/${asset.did}.atom`),
        ...['schema.org', 'croissant', 'dcat'].map((format) => page(`/api/catalogue/${asset.did}?format=${format}`)),
      ])
    const isListed = async () => {
      const lists = ['/catalogue', '/sitemap-1.xml', '/catalogue.atom', `/seller/${publisher.address}.atom`]
      const texts = await Promise.all(lists.map((path) => page(path)))
      return texts.map(({ text }) => text.includes(asset.did))
    }
    const [nowhere, everywhere] = [Array(4).fill(false), Array(4).fill(true)]
    const setState = async (state: number) => world.indexed(await mined(nft.setMetaDataState?.(state) as never))
    for (const state of [1, 2, 3, 4]) {
      await setState(state)
      for (const { status, text } of await formats()) expect([status, text.includes('Secret')]).toEqual([404, false])
      expect(await isListed(), `state ${state}`).toEqual(nowhere)
    }
    await setState(5)
    expect((await page(`/asset/${asset.did}`)).text).toContain('<meta name="robots" content="noindex">')
    expect(await isListed()).toEqual(nowhere)
    await setState(0)
    expect(await isListed()).toEqual(everywhere)
    writeFileSync(purgatory, JSON.stringify([{ did: asset.did, reason: 'stolen' }]))
    await eventually(async () => (await page(`/asset/${asset.did}`)).status === 404)
    for (const { status } of await formats()) expect(status).toBe(404)
    expect(await isListed()).toEqual(nowhere)
    const missing = await page('/asset/did:op:<script>alert(1)</script>')
    expect([missing.status, missing.text.includes('<script>'), missing.headers.get('etag')]).toEqual([404, false, null])
  })

  it('is off unless it is wanted, and needs to know its own URL', async () => {
    const settings = (changed: Record<string, string>) =>
      loadSettings(world.beside({ STATE_DIR: join(folder, 'other'), ...changed }))
    await expect(createApp(settings({ CATALOGUE: 'public', HOST: '0.0.0.0' }))).rejects.toThrow(
      'CATALOGUE: needs PUBLIC_URL',
    )
    await expect(createApp(settings({ CATALOGUE_OWN: 'true' }))).rejects.toThrow('CATALOGUE_OWN: needs PUBLIC_URL')
    const app = await createApp(settings({}))
    try {
      const base = await app.listen()
      for (const path of ['/catalogue', '/robots.txt', '/sitemap.xml', `/asset/${tides.did}`])
        expect((await ask(`${base}${path}`)).status, path).toBe(404)
    } finally {
      await app.close()
    }
  })

  it('may tell of its own assets alone', async () => {
    const foreign = await world.publish({
      publisher,
      files: [{ type: 'url', url: world.storage.file('/x.csv', Buffer.from('x')), method: 'GET' }],
      adjust: ({ services }) =>
        Object.assign(services[0] as object, { serviceEndpoint: 'https://elsewhere.example.org' }),
    })
    const PUBLIC_URL = world.network.providerUrl
    const app = await createApp(
      loadSettings(
        world.beside({ STATE_DIR: join(folder, 'own'), CATALOGUE: 'public', CATALOGUE_OWN: 'true', PUBLIC_URL }),
      ),
    )
    try {
      const base = await app.listen()
      const own = async (path: string) => (await ask(`${base}${path}`)).text
      await eventually(async () => (await own('/sitemap-1.xml')).includes(tides.did))
      expect(await own('/sitemap-1.xml')).not.toContain(foreign.did)
      expect((await ask(`${base}/asset/${foreign.did}`)).status).toBe(404)
      expect(await own(`/asset/${tides.did}`)).toContain(`href="${PUBLIC_URL}/catalogue"`)
      expect(await linked()).toContain(foreign.did)
    } finally {
      await app.close()
    }
  })

  describe('feeds', () => {
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
      const { status, text, headers } = await page(path)
      expect([status, headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8'])
      expect(validate(text)).toBe(true)
      const { feed } = parse(text, { ignoreAttributes: false, attributeNamePrefix: '' })
      for (const { updated } of [feed, ...[feed.entry].flat()])
        expect(updated).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
      return { ...feed, entry: [feed.entry].flat() }
    }
    const base = () => world.network.providerUrl

    it('tell the newest assets, of all and of a seller, and name their own address', async () => {
      for (const path of ['/catalogue', `/seller/${publisher.address}`]) {
        const feed = await parsed(`${path}.atom`)
        expect(feed.id).toBe(`${base()}${path}`)
        expect(feed.link).toEqual([
          expect.objectContaining({ rel: 'self', href: `${base()}${path}.atom` }),
          expect.objectContaining({ rel: 'alternate', href: `${base()}${path}` }),
        ])
        const ids = feed.entry.map(({ id }) => id)
        expect(ids).toEqual([...new Set(ids)])
        expect(ids).toEqual(expect.arrayContaining([winds.did, tides.did]))
        const entry = feed.entry.find(({ id }) => id === tides.did)
        expect(entry).toMatchObject({ title: 'Tide tables', author: { name: 'Harbour Office of Brest' } })
        expect(entry?.content['#text']).toContain('Price: 5 OCEAN')
        expect((await page(path)).text).toContain(
          `<link rel="alternate" type="application/atom+xml" href="${base()}${path}.atom">`,
        )
      }
    })

    it('tell each version of an asset as a new entry', async () => {
      const path = `/asset/${tides.did}`
      const { entry, id } = await parsed(`${path}.atom`)
      expect([id, entry.map((one) => one.id)]).toEqual([`${tides.did}#versions`, [`${tides.did}#${tides.txId}`]])
      expect(entry[0]?.content['#text']).toContain('Files: 2026/tides.csv')
      expect((await page(path)).text).toContain(`href="${base()}${path}.atom">`)
      const asset = await publish('Versions', { pricing: 'free' })
      const metadata = { ...asset.ddo.metadata, description: 'The second one' }
      const { network } = world
      const txId = await publishDocument({ network, publisher }, asset.nft, { ...asset.ddo, metadata })
      await world.indexed(txId)
      const later = await parsed(`/asset/${asset.did}.atom`)
      expect(later.entry).toMatchObject([{ id: `${asset.did}#${txId}` }])
      expect(later.entry[0]?.content['#text']).toContain('The second one')
    })

    it('are validated by their tag, and kept like pages (threat 126)', async () => {
      for (const path of ['/catalogue.atom', `/seller/${publisher.address}.atom`, `/asset/${tides.did}.atom`]) {
        const { headers } = await page(path)
        expect(headers.get('cache-control')).toBe('public, max-age=60')
        const again = await page(path, { 'if-none-match': headers.get('etag') as string })
        expect([again.status, again.text]).toEqual([304, ''])
        const find = vi.spyOn(world.local.app.context.services.catalog.search, 'find')
        await Promise.all(Array.from({ length: 8 }, () => page(path)))
        expect(find.mock.calls.filter(([{ source }]) => source).length, path).toBe(0)
        find.mockRestore()
      }
    })

    it('are missing if they would be empty', async () => {
      for (const path of [`/seller/${newWallet().address}.atom`, '/seller/0x12.atom', '/asset/did:op:00.atom'])
        expect((await page(path)).status, path).toBe(404)
    })
  })

  describe('B9: who sells', () => {
    const NAME = 'Harbour Office of Brest'
    const MARK = '<span class="verified">✓ verified by the operator of this service</span>'
    const short = (account: string) => `${account.slice(0, 6)}…${account.slice(-4)}`
    let stranger: ethers.Wallet
    let copy: Published

    beforeAll(async () => {
      stranger = await world.somebody()
      copy = await publishedBy(stranger, NAME)
    })

    const publishedBy = (by: ethers.Wallet, author: string) =>
      world.publish({
        publisher: by,
        files: [{ type: 'url', url: world.storage.file('/copy.csv', Buffer.from('a,b')), method: 'GET' }],
        adjust: ({ metadata }) => Object.assign(metadata, { name: 'Tide tables', author }),
      })

    it('is an account, and a name only if the operator has verified it', async () => {
      expect((await page('/')).json).toMatchObject({ verifiedPublishers: { [office.address]: NAME } })
      const own = (await page(`/asset/${tides.did}`)).text
      expect(own).toContain(
        `href="${world.network.providerUrl}/seller/${office.address}" title="${office.address}">${NAME}</a> ${MARK}`,
      )
      expect(own).toContain(`<dd>${office.address}</dd>`)
      const other = (await page(`/asset/${copy.did}`)).text
      expect(other).not.toContain(MARK)
      expect(other).toContain(`title="${stranger.address}">${short(stranger.address)}</a>`)
      expect(other).toContain(`not from the verified publisher ${NAME}`)
      const list = (await page('/catalogue')).text
      for (const account of [office.address, stranger.address]) expect(list).toContain(short(account))
    })

    it('is in every format with the account', async () => {
      const chain = world.network.chainId
      const json = async (did: string, format: string) => (await page(`/api/catalogue/${did}?format=${format}`)).json
      for (const format of ['schema.org', 'croissant']) {
        expect(await json(tides.did, format)).toMatchObject({
          creator: { name: NAME, alternateName: 'Harbour office', identifier: `eip155:${chain}:${office.address}` },
        })
        expect(await json(copy.did, format)).toMatchObject({
          creator: { name: stranger.address, alternateName: NAME, identifier: `eip155:${chain}:${stranger.address}` },
        })
      }
      expect(await json(copy.did, 'dcat')).toMatchObject({
        'dct:publisher': { 'foaf:name': stranger.address, 'dct:identifier': `eip155:${chain}:${stranger.address}` },
      })
    })

    it('has a page with the assets of the account alone', async () => {
      const own = await page(`/seller/${office.address.toLowerCase()}`)
      expect(own.text).toContain(`<link rel="canonical" href="${world.network.providerUrl}/seller/${office.address}">`)
      expect(own.text).toContain(`<h1>${NAME}</h1>\n<p class="muted">${MARK}</p>`)
      expect([own.text.includes(tides.did), own.text.includes(copy.did)]).toEqual([true, false])
      const other = await page(`/seller/${stranger.address}`)
      expect([other.text.includes(tides.did), other.text.includes(copy.did)]).toEqual([false, true])
      expect(other.text).toContain('Not verified')
      const nobody = await page(`/seller/${newWallet().address}`)
      expect([nobody.status, nobody.headers.get('cache-control')]).toEqual([404, 'no-store'])
      expect(nobody.text).toContain('This account sells nothing here')
      expect((await page('/seller/0x12')).json).toMatchObject({ code: 'ROUTE_NOT_FOUND' })
    })

    it('is not who was given a data NFT with texts of somebody else', async () => {
      const gift = await publishedBy(stranger, NAME)
      const nft = new ethers.Contract(gift.nft, ['function transferFrom(address, address, uint256)'], stranger)
      await world.indexed(await mined(nft.transferFrom?.(stranger.address, office.address, 1) as never))
      const text = async () => (await page(`/asset/${gift.did}`)).text
      await eventually(async () => (await text()).includes(`<dd>${office.address}</dd>`))
      expect(await text()).not.toContain(MARK)
      expect(await text()).toContain(`described by <span title="${stranger.address}">`)
      expect((await page(`/seller/${office.address}`)).text).not.toContain(gift.did)
    })

    it.each([
      ['marks of direction', `\u202e${NAME}\u2066`, true],
      ['look-alikes', 'Harb\u043eur Offi\u0441e of Brest', true],
      ['markup', `<b>${NAME}</b>${MARK}`, true],
      ['a claim', 'verified \u2713', false],
      ['10,000 characters', `${NAME} ${'x'.repeat(10_000)}`, true],
    ])('is not verified by an author of %s', async (_, author, imitates) => {
      const { did } = await publishedBy(stranger, author)
      const { text } = await page(`/asset/${did}`)
      expect(text).not.toContain(MARK)
      expect(text).not.toMatch(/[\u202e\u2066]|<b>/)
      expect(text).toContain(`title="${stranger.address}">${short(stranger.address)}</a>`)
      expect(text.includes('Not verified: not from')).toBe(imitates)
      expect(text.length).toBeLessThan(20_000)
    })
  })
})
