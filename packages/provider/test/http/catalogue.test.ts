import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ethers } from 'ethers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { mined } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask } from '../../../../test/helpers/requests.js'
import { createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'
import { publicCatalogue } from './public-catalogue.js'

/** Pages, descriptions, catalogue and sitemap of CATALOGUE=public. */
describe('the public catalogue', () => {
  const folder = newFolder()
  const purgatory = join(folder, 'purgatory.json')
  let { world, publisher, tides, winds, publish, page } = {} as Awaited<ReturnType<typeof publicCatalogue>>

  beforeAll(async () => {
    writeFileSync(purgatory, '[]')
    ;({ world, publisher, tides, winds, publish, page } = await publicCatalogue({
      PURGATORY_ASSETS: purgatory,
      PURGATORY_INTERVAL: '100',
    }))
  })

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
})
