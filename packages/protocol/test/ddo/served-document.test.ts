import fc from 'fast-check'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import type { IndexedAsset } from '../../src/ddo/indexed.js'
import type { OnChainData } from '../../src/ddo/on-chain/on-chain-data.js'
import { opened } from '../../src/ddo/opened.js'
import { readable } from '../../src/ddo/readable.js'
import { assetDocument, assetDocumentText } from '../../src/ddo/served-document.js'
import { readServices, storedServices } from '../../src/ddo/stored-services.js'

const address = (at: number) => `0x${at.toString(16).padStart(40, '0')}` as Address
const NFT = address(1)
const ADDED = ['nft', 'datatokens', 'event', 'stats', 'purgatory', 'accessDetails', 'indexedMetadata']
const TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', '"', '\\', '\u2028', '\ud800', '😀'),
)
const SERVICES = fc.array(
  fc.record({
    id: TEXT,
    files: fc.constant('0xfile'),
    datatokenAddress: fc.integer({ min: 2, max: 5 }).map(address),
    timeout: fc.double(),
  }),
  { maxLength: 3 },
)
const OWN = fc.dictionary(
  fc.oneof(TEXT, fc.constantFrom(...ADDED, '__proto__', 'toJSON', '7', 'metadata')),
  fc.jsonValue(),
  {
    maxKeys: 6,
  },
)
const SUBJECT = fc.tuple(OWN, SERVICES).map(([own, services]) => ({ ...own, services }))
const DOCUMENT = fc.oneof(
  { weight: 3, arbitrary: SUBJECT },
  fc.tuple(OWN, SUBJECT).map(([own, credentialSubject]) => ({ ...own, credentialSubject })),
)
/** A document as texts that are read as the same: as published by most, by Python, with keys twice, and by hand. */
const WRITTEN = fc
  .tuple(DOCUMENT, fc.constantFrom('plain', 'plain', 'indented', 'twice', 'escaped'))
  .map(([document, how]) => {
    const text = JSON.stringify(document)
    if (how === 'indented') return JSON.stringify(document, null, 1)
    if (how === 'twice') return `{"id":"first","__proto__":1,${text.slice(1)}`.replace(',}', '}')
    if (how === 'escaped') return `${text.replaceAll('services', '\\u0073ervices').slice(0, -1)},"n":1.0e1}`
    return text
  })
const ON_CHAIN: fc.Arbitrary<OnChainData> = fc.record(
  {
    owner: fc.constant(address(9)),
    tokenUri: TEXT,
    price: fc.record({ value: fc.constantFrom('0', '1.50', 'x'), tokenSymbol: TEXT }),
    offers: fc.constant(new Map([[address(2), [{ type: 'dispenser', price: '0', contract: address(8) } as const]]])),
    names: fc.constant(new Map([[address(3), { name: 'n"', symbol: '\n' }]])),
  },
  { requiredKeys: [] },
)

describe('a document as JSON', () => {
  it('is byte for byte what writing the whole of it gives, whatever it holds and whatever state it is in', () => {
    let [asStored, otherwise] = [0, 0]
    fc.assert(
      fc.property(
        WRITTEN,
        ON_CHAIN,
        fc.option(TEXT, { nil: undefined }),
        fc.constantFrom(0, 0, 5, 3),
        TEXT,
        (ddo, onChain, purgatory, state, name) => {
          const asset: IndexedAsset = {
            chainId: 7,
            nft: { address: NFT, name, symbol: 'S', tokenUri: name, owner: NFT, created: '2026-01-01T00:00:00Z' },
            datatokens: [{ address: address(2), nft: NFT, name, symbol: 'D', orders: 3 }],
            metadata: {
              ...{ nft: NFT, did: 'did:op:1', state, ddo, reason: null, encrypted: false },
              ...{ txId: '0x1', block: 1, from: NFT, timestamp: 1 },
            },
          }
          const whole = opened(asset)
          const expected = whole && JSON.stringify(assetDocument(whole, onChain, purgatory))
          // the second time it is known how it is stored
          for (let time = 0; time < 2; time++) {
            const one = readable(asset)
            expect(one && assetDocumentText(one, onChain, purgatory)).toBe(expected)
            if (one?.beginning === ddo.slice(0, -1)) asStored += 1
            else otherwise += 1
          }
        },
      ),
      { numRuns: 3000 },
    )
    expect(asStored).toBeGreaterThan(100)
    expect(otherwise).toBeGreaterThan(100)
  })

  it('is stored with its services where those and the text are all that is needed', () => {
    const service = { id: 'a"', files: '0x', datatokenAddress: address(2) }
    const document = { id: 'did:op:1', services: [service, { ...service, id: 'b' }] }
    const stored = (one: object, text = JSON.stringify(one)) => storedServices(text, one as Record<string, unknown>)
    expect(readServices(stored(document) ?? '')).toEqual([
      { id: 'a"', datatokenAddress: address(2) },
      { id: 'b', datatokenAddress: address(2) },
    ])
    expect(stored({ id: 'did:op:1' })).toBe('[]')
    for (const [one, text] of [
      [{ ...document, credentialSubject: { services: [] } }],
      [{ ...document, nft: 'added' }],
      [document, JSON.stringify(document, null, 1)],
      [{ services: Array.from({ length: 100 }, () => service) }],
      [{}],
    ] as [object, string?][])
      expect(stored(one, text)).toBeUndefined()
  })

  it('of an asset without one is none', () => {
    expect(readable({ metadata: { ddo: null, state: 0 } } as IndexedAsset)).toBeUndefined()
  })
})
