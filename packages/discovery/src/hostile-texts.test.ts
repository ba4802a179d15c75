import { describedAsset, sellerOf } from '@tidegate/protocol/asset'
import { validate } from 'fast-xml-parser'
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { didOf } from '../../protocol/src/ddo/ddo.js'
import { assetPage } from './asset-page.js'
import { assetFeed, catalogueFeed, sellerFeed } from './atom.js'
import { cataloguePage, missingPage } from './catalogue-page.js'
import { croissant } from './croissant.js'
import { dcat, dcatCatalogue } from './dcat.js'
import type { Listing } from './listing.js'
import { schemaOrg } from './schema-org.js'
import type { Site } from './site.js'

/** Ends elements, attributes, comments and data blocks, and begins scripts; marks of direction; half a character. */
const HOSTILE = `</script></style><script>alert(1)</script>"'><img src=x onerror=alert(1)><!--]]>&lt;\u2028\u2029\u202e\ufeff\ud800\u0000`

const NFT = getAddress(`0x${'ab'.repeat(20)}`)
const TOKEN = getAddress(`0x${'cd'.repeat(20)}`)
const SITE: Site = {
  base: 'https://shop.example.org',
  name: HOSTILE.replace('\0', ''),
  url: 'https://example.org/',
  console: 'https://shop.example.org/console/',
}

/** An asset whose every text is the same. */
function listing(text: unknown): Listing {
  const asset = describedAsset(SITE.base, {
    id: didOf(NFT, 1),
    chainId: 1,
    nftAddress: NFT,
    nft: { state: 0, owner: text, created: text, name: text },
    metadata: {
      ...{ created: text, updated: text, type: text, name: text, description: text, author: text, license: text },
      tags: [text, text],
      links: [text, `https://example.org/${text}`, `javascript:${text}`, `/api/services/public/x/${text}`],
      additionalInformation: {
        termsAndConditions: { url: 'https://example.org/t', sha256: 'ab'.repeat(32), name: text },
      },
    },
    services: [{ id: text, name: text, type: text, datatokenAddress: TOKEN, timeout: text }],
    stats: { price: { value: text, tokenAddress: TOKEN, tokenSymbol: text } },
    indexedMetadata: {
      stats: [{ datatokenAddress: TOKEN, prices: [{ type: 'fixedrate', price: '1.5', token: TOKEN }] }],
    },
  })
  if (!asset) throw new Error('The document is not read.')
  const file = {
    index: 0,
    name: String(text).replace('\0', '').slice(0, 1000),
    contentType: 'text/csv',
    size: 3,
    sha256: 'ab'.repeat(32),
  }
  const { index: _, ...sample } = { ...file, url: `${SITE.base}/api/services/public/x/y` }
  const seller = sellerOf(asset, new Map())
  return { site: SITE, asset, seller, samples: [sample], files: new Map(asset.services.map(({ id }) => [id, [file]])) }
}

async function* only(...listings: Listing[]): AsyncGenerator<Listing> {
  yield* listings
}

/** Fails if a text has markup of a stranger. `own`: elements of the page that may hold text that is not parsed. */
function expectHarmless(page: string): void {
  const [blocks, rest] = [
    page.match(/<script[^>]*>[\s\S]*?<\/script>/g) ?? [],
    page.replace(/<script[^>]*>[\s\S]*?<\/script>/g, ''),
  ]
  expect(blocks.every((block) => block.startsWith('<script type="application/ld+json">'))).toBe(true)
  for (const block of blocks) JSON.parse(block.slice(block.indexOf('>') + 1, block.lastIndexOf('<')))
  expect(rest).not.toMatch(/<img|<script|<!--|alert\(1\)<|onerror=alert\(1\)>|[\u202e\ufeff]/)
  expect(rest).not.toContain('\0')
  expect((rest.match(/<style>/g) ?? []).length).toBe(1)
}

describe('texts of strangers (threat 108)', () => {
  it('are texts in pages', () => {
    const one = listing(HOSTILE)
    const page = assetPage(one)
    expectHarmless(page)
    expect(page).toContain('&#60;img src=x')
    expectHarmless(cataloguePage(SITE, { page: 2, total: 3, isAtLeast: true, hasNext: true }, [one, one]))
    expectHarmless(missingPage(SITE))
  })

  it('are texts in feeds, without characters that XML does not have', () => {
    const one = listing(`${HOSTILE}\uffff\ufffe]]>&bogus;`)
    for (const feed of [catalogueFeed(SITE, [one, one]), sellerFeed(SITE, NFT, HOSTILE, [one]), assetFeed(one)]) {
      expect(validate(feed)).toBe(true)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must be missing
      expect(feed).not.toMatch(/[\u0000-\u0008\ufffe\uffff\u202e]|<img|<script|<!--|\]\]>/)
      expect(feed).toContain('&#60;img src=x')
    }
  })

  it('are values in every format', async () => {
    const one = listing(HOSTILE)
    const name = one.asset.name
    expect(name).toContain('</script>')
    expect(name).not.toMatch(/[\ud800-\udfff]/u)
    const read = (json: object) => JSON.parse(JSON.stringify(json))
    expect(read(schemaOrg(one))).toMatchObject({ name, creator: { name }, keywords: [name, name], license: { name } })
    expect(read(croissant(one))).toMatchObject({
      name,
      distribution: [{ '@id': 'service-0/file-0', name: HOSTILE.replace('\0', '') }, { '@id': 'sample-0' }],
    })
    expect(read(dcat(one))).toMatchObject({ 'dct:title': name, 'dct:publisher': { 'foaf:name': name } })
    let text = ''
    for await (const part of dcatCatalogue(
      SITE,
      { page: 1, total: 2, isAtLeast: false, hasNext: false },
      only(one, one),
    ))
      text += part
    expect(JSON.parse(text)['@graph'][1]['dcat:dataset']).toHaveLength(2)
  })

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['a number', 7],
    ['an object', { '@value': {} }],
    ['a list', [[[]]]],
    ['of a megabyte', '<b>'.repeat(350_000)],
  ])('may be %s', (_, text) => {
    const one = listing(text)
    for (const json of [schemaOrg(one), croissant(one), dcat(one)])
      expect(JSON.stringify(json).length).toBeLessThan(2_000_000)
    expectHarmless(assetPage(one))
  })
})

it.each(['+275760-09-13T00:00:00.000Z', '-000001-01-01T00:00:00.000Z'])('leaves out the time %s', (time) => {
  const one = listing(time)
  const json = JSON.stringify([schemaOrg(one), croissant(one), dcat(one)])
  expect(json).not.toMatch(/"date(Published|Modified)"|"dct:(issued|modified)"/)
  expect(assetPage(one)).not.toContain('<time')
})
