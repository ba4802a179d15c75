import type { Address } from 'viem'
import type { Cursor, IndexChange } from '../../packages/catalog/src/index/index-store.js'
import { didOf } from '../../packages/protocol/src/ddo/ddo.js'
import type { IndexedAsset } from '../../packages/protocol/src/ddo/indexed.js'
import { storedServices } from '../../packages/protocol/src/ddo/stored-services.js'
import type { StateStore } from '../../packages/provider/src/state/stores.js'
import { wordBy } from './synthetic-documents.js'

/** Id of the chain that the documents are of. */
export const CHAIN = 8996
const BATCH = 100

/** A seeded random generator of numbers from 0 to below 1. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const next = random(1)
const word = () => wordBy(next())
const text = (count: number) => Array.from({ length: count }, word).join(' ')
/** An address of digits alone, which is the same with and without a checksum. */
export const address = (at: number) => `0x${at.toString().padStart(40, '0')}` as Address
/** The addresses of one asset. */
export const addressesOf = (at: number) => ({ nft: address(2 * at + 1), datatoken: address(2 * at + 2) })
/** An owner: the first one has every tenth asset, most have a handful. */
export const ownerOf = (at: number) => address(8e14 + Math.floor(20_000 ** ((at * 0.618_033_988_75) % 1)))
/** Tokens of prices. */
export const TOKENS = [1, 2, 3, 4].map((at) => address(7e14 + at))

/** The texts of a document, with the sizes of those on a marketplace. */
export function contentOf() {
  return {
    type: next() < 0.8 ? 'dataset' : 'algorithm',
    name: text(5),
    description: text(100),
    author: text(2),
    tags: [word(), word(), word()],
  }
}

/** The indexed asset at a position. `metadata`: its texts. */
export function assetAt(at: number, metadata: object): IndexedAsset {
  const { nft, datatoken } = addressesOf(at)
  const created = new Date(1_700_000_000_000 + at * 60_000).toISOString().replace('.000Z', 'Z')
  const service = {
    id: 'a'.repeat(64),
    type: at % 10 < 7 ? 'access' : 'compute',
    files: `0x${'ab'.repeat(400)}`,
    datatokenAddress: datatoken,
    serviceEndpoint: 'https://provider.example.com',
    timeout: 86_400,
  }
  const ddo = {
    '@context': ['https://w3id.org/did/v1'],
    id: didOf(nft, CHAIN),
    version: '4.1.0',
    chainId: CHAIN,
    nftAddress: nft,
    metadata: {
      created,
      updated: created,
      ...metadata,
      license: 'https://market.oceanprotocol.com/terms',
      additionalInformation: { termsAndConditions: true },
    },
    services: [service],
  }
  const written = JSON.stringify(ddo)
  const told = { state: 0, reason: null, encrypted: true, from: nft, timestamp: 1, block: at } as const
  return {
    chainId: CHAIN,
    nft: { address: nft, name: `Data NFT ${at % 1000}`, symbol: 'N', tokenUri: '', owner: ownerOf(at), created },
    datatokens: [{ address: datatoken, nft, name: `Access ${at % 1000}`, symbol: 'D', orders: 0 }],
    metadata: { ...told, txId: `0x${at.toString(16).padStart(64, '0')}`, nft, did: ddo.id, ddo: written },
    services: storedServices(written, ddo),
  }
}

/** The index changes of one asset with the size and shape of those on a marketplace. */
export function changesOf(at: number): IndexChange[] {
  const { nft, datatokens, metadata, services } = assetAt(at, contentOf())
  const { orders: _, ...datatoken } = datatokens[0] as IndexedAsset['datatokens'][number]
  return [
    { kind: 'nft', nft },
    { kind: 'datatoken', datatoken },
    { kind: 'metadata', metadata, ...(services === undefined ? {} : { services }) } as IndexChange,
  ]
}

/** Stores assets. Answers the milliseconds of the longest batch. */
export async function fill(store: StateStore, count: number): Promise<number> {
  let from: Cursor | undefined
  let longest = 0
  for (let at = 0; at < count; at += BATCH) {
    const changes = Array.from({ length: Math.min(BATCH, count - at) }, (_, i) => changesOf(at + i)).flat()
    const to: Cursor = { block: at + 1, hash: '0x1' }
    const begun = performance.now()
    await store.index.commit({ chainId: CHAIN, from, to, changes })
    longest = Math.max(longest, performance.now() - begun)
    from = to
  }
  return longest
}
