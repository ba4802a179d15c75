import { createHash } from 'node:crypto'
import type { Address, Hex } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { served } from '../../../../test/helpers/requests.js'
import type { World } from '../../../../test/helpers/world.js'
import { walletFor } from '../world.js'
import { market, type Person, type Sale, useMarket, world } from './market.js'

const MARKER = createHash('sha256').update('tidegate accepted terms v1').digest('hex').slice(0, 16)
const TEXT = '# Terms\nUse the tables at your own risk.\n'
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const SHA256 = sha256(TEXT)

useMarket()
let Ocean: Address
let url: string
beforeAll(async () => {
  Ocean = world.network.addresses.Ocean
  url = world.storage.file('/terms.md', Buffer.from(TEXT), 'text/markdown')
})

const described = (termsAndConditions: unknown): NonNullable<Sale['adjust']> => {
  return ({ metadata }) =>
    Object.assign(metadata as unknown as object, { additionalInformation: { termsAndConditions } })
}
const sale = (more: Partial<Sale> = {}, terms: unknown = { url, sha256: SHA256, name: 'Terms of use' }) =>
  market.sale({ price: 'free', adjust: described(terms), ...more })
const inputOf = async (hash: Hex) => (await market.reader.getTransaction({ hash })).input

async function rich(): Promise<Person> {
  const buyer = await market.person()
  await market.give(Ocean, buyer, 10n ** 20n)
  return buyer
}

const PRICE = () => ({ token: Ocean, rate: 10n ** 18n })
const WAYS: Record<string, () => Partial<Sale>> = {
  'template 1, free': () => ({ template: 1 }),
  'template 1, paid': () => ({ template: 1, price: PRICE() }),
  'template 2, free': () => ({}),
  'template 2, paid': () => ({ price: PRICE() }),
  'template 4, paid': () => ({ template: 4, price: PRICE() }),
}

describe('an asset with terms', () => {
  it.each(Object.entries(WAYS))('carries the accepted terms in its order: %s', async (_, way) => {
    const { did } = await sale(way())
    const { tidegate, ...buyer } = await rich()
    await expect(tidegate.buy(did)).rejects.toMatchObject({
      code: 'TERMS_NOT_ACCEPTED',
      message: expect.stringContaining(`${url}, SHA-256 ${SHA256}`),
    })
    await expect(tidegate.buy(did, { acceptTerms: sha256('others') })).rejects.toMatchObject({ code: 'TERMS_CHANGED' })
    expect(await market.sent({ tidegate, ...buyer })).toBe(0)

    const { order, terms, transactions } = await tidegate.buy(did, { acceptTerms: SHA256 })
    expect(terms).toBe(SHA256)
    for (const sent of transactions) expect((await inputOf(sent)).endsWith(MARKER + SHA256), sent).toBe(sent === order)
    await world.indexed(order)
    expect(await tidegate.receipt(order)).toMatchObject({ terms: { sha256: SHA256, isCurrent: true } })
    // a valid order needs no acceptance
    expect(await tidegate.buy(did)).toMatchObject({ order, reused: true })
    expect(await (await (await tidegate.download(did)).blob()).text()).toContain('3.1')
  })

  it('tells its terms, and reads their text', async () => {
    const { did } = await sale(
      {},
      { url, sha256: SHA256.toUpperCase(), name: 'Terms\u202e of use', contentType: 'text/markdown' },
    )
    const { tidegate } = await market.person()
    const { host } = new URL(url)
    const terms = { url, host, name: 'Terms  of use', sha256: SHA256, isHere: false, contentType: 'text/markdown' }
    expect((await tidegate.asset(did)).terms).toEqual(terms)
    expect(await tidegate.terms(did)).toEqual({ ...terms, bytes: new Uint8Array(Buffer.from(TEXT)), text: TEXT })
  })

  it('reports terms that changed since the order', async () => {
    const { did, publisher } = await sale()
    const { tidegate } = await market.person()
    const { order } = await tidegate.buy(did, { acceptTerms: SHA256 })
    await world.indexed(order)
    const next = await publisher.tidegate.termsAt(world.storage.file('/terms-2.txt', Buffer.from('New'), 'text/plain'))
    expect(next).toMatchObject({ name: 'terms-2.txt', sha256: sha256('New'), contentType: 'text/plain' })
    const { changed } = await publisher.tidegate.update(did, { terms: next })
    expect(changed).toEqual(['terms'])
    await market.known(did, { 'metadata.additionalInformation.termsAndConditions.sha256': sha256('New') })
    expect(await tidegate.receipt(order)).toMatchObject({ terms: { sha256: SHA256, isCurrent: false } })
    const other = await market.person()
    const late = other.tidegate.buy(did, { acceptTerms: SHA256 })
    await expect(late).rejects.toMatchObject({ code: 'TERMS_CHANGED', message: expect.stringContaining(next.url) })

    expect((await publisher.tidegate.update(did, { terms: next })).transactions).toEqual([])
    await publisher.tidegate.update(did, { terms: null })
    await market.known(did, { 'metadata.additionalInformation': undefined })
    await expect(other.tidegate.buy(did, { acceptTerms: SHA256 })).rejects.toMatchObject({ code: 'TERMS_CHANGED' })
    await expect(other.tidegate.terms(did)).rejects.toMatchObject({ code: 'NO_TERMS' })
    await other.tidegate.buy(did)
  })

  it('believes no marker of another transaction', async () => {
    const { did, datatoken } = await sale({}, true)
    const { tidegate } = await market.person()
    const { order } = await tidegate.buy(did)
    const forger = await market.person()
    const data = `0x095ea7b3${'1'.padStart(64, '0')}${'0'.repeat(64)}${MARKER}${SHA256}` as Hex
    const wallet = walletFor(world, forger.signer)
    const hash = await wallet.sendTransaction({ to: datatoken, data, chain: null } as never)
    await market.reader.waitForTransactionReceipt({ hash })
    await world.indexed(order)
    expect(await tidegate.receipt(order)).not.toHaveProperty('terms')
  })

  it.each<[string, unknown]>([
    ['the agreement of a market', true],
    ['a text', 'https://example.org/terms'],
    ['a list', [{ url: 'https://example.org/terms', sha256: SHA256 }]],
    ['no hash', { url: 'https://example.org/terms', sha256: 'none' }],
    ['a script', { url: 'javascript:alert(1)', sha256: SHA256 }],
    ['a hidden scheme', { url: 'java\nscript:alert(1)', sha256: SHA256 }],
    ['another host by name', { url: 'https://example.org@evil.example/terms', sha256: SHA256 }],
    ['an endless URL', { url: `https://example.org/${'a'.repeat(3000)}`, sha256: SHA256 }],
  ])('has no terms by %s', async (_, odd) => {
    const { did } = await sale({}, odd)
    const { tidegate } = await market.person()
    expect(await tidegate.asset(did)).not.toHaveProperty('terms')
    await tidegate.buy(did)
  })
})

describe('hostile terms', () => {
  it.each<[string, string, Parameters<World['storage']['on']>[1]]>([
    ['of 20 MB', 'larger than 5 MiB', (_, response) => void response.end(Buffer.alloc(20_000_000))],
    ['that are gone', 'answers 404', (_, response) => void response.writeHead(404).end()],
    ['that break off', 'breaks off', (_, response) => void response.writeHead(200, { 'content-length': 9 }).destroy()],
    [
      'elsewhere',
      'another scheme',
      (_, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    ],
    ['in a circle', 'too often', (_, response) => void response.writeHead(302, { location: '#' }).end()],
  ])('%s cannot be read', async (name, why, handler) => {
    const at = world.storage.on(`/${encodeURIComponent(name)}`, handler)
    const { did, publisher } = await sale({}, { url: at, sha256: SHA256 })
    const refused = { code: 'DOCUMENT_UNREADABLE', message: expect.stringContaining(why) }
    await expect(publisher.tidegate.terms(did)).rejects.toMatchObject(refused)
    await expect(publisher.tidegate.termsAt(at)).rejects.toMatchObject(refused)
  })

  it('without an end stop with the signal, and other bytes are refused', async () => {
    const { tidegate } = await market.person()
    const slow = world.storage.on('/slow', (_, response) => void response.write('a'))
    const controller = new AbortController()
    const read = tidegate.termsAt(slow, { signal: controller.signal })
    await eventually(() => world.storage.seen('/slow').length === 1)
    controller.abort(new Error('stopped'))
    await expect(read).rejects.toThrow('stopped')

    const { did } = await sale({}, { url: world.storage.file('/swapped.md', Buffer.from('Pay twice')), sha256: SHA256 })
    await expect(tidegate.terms(did)).rejects.toMatchObject({
      code: 'TERMS_CHANGED',
      message: expect.stringContaining('are not those that its publisher described'),
    })
  })
})

describe('links', () => {
  it('leave out odd schemes and values', async () => {
    const adjust: Sale['adjust'] = ({ metadata }) =>
      Object.assign(metadata as unknown as object, {
        links: [
          'https://example.org/a%20b.csv',
          'javascript:alert(1)',
          'data:text/html,x',
          'file:///etc/passwd',
          ' ftp://x/',
        ],
      })
    const { did, publisher } = await market.sale({ price: 'free', adjust })
    const link = { url: 'https://example.org/a%20b.csv', host: 'example.org', name: 'a b.csv', isHere: false }
    expect((await publisher.tidegate.asset(did)).links).toEqual([link])
    await expect(publisher.tidegate.sample(link.url)).rejects.toMatchObject({
      code: 'NOT_ON_PROVIDER',
      message: expect.stringContaining('on example.org'),
    })
    const here = `${world.network.providerUrl}/api/services/public/abc/tides.csv`
    await publisher.tidegate.update(did, { samples: [here] })
    await served(world.network.providerUrl, { did })
    await market.known(did, { 'metadata.links.4': ' ftp://x/', 'metadata.links.5': here })
    expect((await publisher.tidegate.asset(did)).links).toMatchObject([
      link,
      { url: here, name: 'tides.csv', isHere: true },
    ])
    await publisher.tidegate.update(did, { samples: [] })
    await market.known(did, { 'metadata.links.5': undefined })
  })
})
