import { expect, it } from 'vitest'
import type { Json } from '../values/fields.js'
import { describe } from './describe.js'
import { didOf } from './did-of.js'
import { readServed } from './served.js'

const NFT = `0x${'11'.repeat(20)}` as const
const DID = didOf(NFT, 1)
/** No text and no number can be made of it. */
const HOSTILE = { toString: 1, valueOf: 1 }

const DOCUMENT = {
  id: DID,
  version: '4.1.0',
  chainId: 1,
  nftAddress: NFT,
  metadata: { name: 'a', description: 'b', author: 'c', license: 'd', type: 'dataset', tags: ['e'], links: ['f'] },
  services: [{ id: '0', type: 'access', datatokenAddress: NFT, timeout: 1, files: '0x', name: 'g' }],
  credentials: {
    allow: [
      { type: 'address', values: [NFT] },
      { type: 'accessList', accessList: NFT, chainId: 1 },
    ],
  },
  nft: { address: NFT, state: 0, owner: NFT, created: '2026-01-01T00:00:00Z' },
  event: { block: 1 },
  stats: { orders: 1, price: { value: 1, tokenSymbol: 'h' } },
  purgatory: { state: true, reason: 'i' },
}

/** Returns copies of a value in each of which one part is hostile. */
function spoiled(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [HOSTILE]
  const each = Object.entries(value).flatMap(([key, part]) =>
    spoiled(part).map((bad) => {
      const copy = structuredClone(value) as Json
      copy[key] = bad
      return copy
    }),
  )
  return [HOSTILE, ...each]
}

it('describes a document with parts that cannot be text, or refuses it by name', () => {
  const documents = spoiled(DOCUMENT) as Json[]
  expect(documents.length).toBeGreaterThan(40)
  for (const document of documents) {
    let refusal: unknown
    try {
      describe(readServed(document, DID))
    } catch (error) {
      refusal = error
    }
    if (refusal) expect(refusal, JSON.stringify(document)).toMatchObject({ code: 'WRONG_DOCUMENT' })
  }
  expect(describe(readServed(DOCUMENT, DID))).toMatchObject({
    state: 'active',
    blocked: 'i',
    created: new Date('2026-01-01'),
  })
})
