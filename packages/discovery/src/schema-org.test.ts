import { describedAsset } from '@tidegate/protocol/asset'
import { getAddress } from 'viem'
import { expect, it } from 'vitest'
import { didOf } from '../../protocol/src/ddo/ddo.js'
import type { Listing } from './listing.js'
import { schemaOrg } from './schema-org.js'

const NFT = getAddress(`0x${'ab'.repeat(20)}`)
const SITE = { base: 'https://shop.example.org', name: 'Shop' }

function description(metadata: { name?: string; description?: string }): string {
  const document = { id: didOf(NFT, 1), chainId: 1, nftAddress: NFT, nft: { state: 0 }, metadata, services: [] }
  const asset = describedAsset(SITE.base, document)
  const described = schemaOrg({
    site: SITE,
    asset,
    seller: { account: 'x' },
    files: new Map(),
    samples: [],
  } as unknown as Listing)
  return (described as { description: string }).description
}

it('describes an asset in 50 to 5,000 characters, as data set searches require', () => {
  const long = 'Heights of the tide,\neach minute. '.repeat(10)
  expect(description({ name: 'Tides', description: long })).toBe(long.trim())
  for (const short of ['Tides', '', '\u{1f30a}'.repeat(30)]) {
    const text = description({ name: 'Tide tables', description: short })
    expect(text.startsWith(short || 'Tide tables')).toBe(true)
    expect([...text].length).toBeGreaterThanOrEqual(50)
    expect(text).toContain('Sold and delivered by Shop.')
  }
  expect(description({})).toContain(didOf(NFT, 1))
  for (const one of ['word ', 'x', '\u{1f30a}']) {
    const text = description({ name: 'Tides', description: one.repeat(6000) })
    expect([...text].length).toBeLessThanOrEqual(5000)
    expect(text.length).toBeGreaterThan(4900)
    // no half of a character
    expect(() => encodeURIComponent(text)).not.toThrow()
  }
})
