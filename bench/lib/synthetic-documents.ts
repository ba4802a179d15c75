import { createHash } from 'node:crypto'
import type { Address } from 'viem'
import { didOf } from '../../packages/protocol/src/ddo/ddo.js'

/** Bytes of every document. */
export const DOCUMENT_SIZE = 2048

/** Distinct words of all documents. The first ones are in every other document, the last ones in a handful, as in natural text. */
const WORDS = 20_000
const SYLLABLES = [...'bdfghklmnprstvz'].flatMap((consonant) => [...'aeiou'].map((vowel) => consonant + vowel))

function wordAt(at: number): string {
  const rest = Math.floor(at / SYLLABLES.length)
  const syllable = SYLLABLES[at % SYLLABLES.length] as string
  return rest === 0 ? syllable : syllable + wordAt(rest - 1)
}

const VOCABULARY = Array.from({ length: WORDS }, (_, at) => wordAt(at))

/** Returns a word by a number from 0 to below 1: the lower, the more frequent. */
export const wordBy = (number: number) => VOCABULARY[Math.floor(WORDS ** number)] as string

/** Returns a generator of numbers from 0 to below 1 that depend on a text alone. */
export function random(seed: string): () => number {
  const bytes = createHash('sha256').update(seed).digest()
  let state = bytes.readUInt32BE(0)
  return () => {
    // xorshift: multiplications beyond 2^53 would lose bits
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** Returns the document of an asset, with the size and shape of those on a marketplace. */
export function documentOf(id: number, chainId: number, nft: Address, token: Address, created: number): Buffer {
  const next = random(`document ${id}`)
  const word = () => wordBy(next())
  const words = (count: number) => Array.from({ length: count }, word)
  const files = createHash('shake256', { outputLength: 300 }).update(`files ${id}`).digest('hex')
  const time = new Date(created * 1000).toISOString().replace('.000Z', 'Z')
  const metadata = {
    ...{ created: time, updated: time, type: next() < 0.8 ? 'dataset' : 'algorithm', name: words(5).join(' ') },
    ...{ author: words(2).join(' '), license: 'https://market.oceanprotocol.com/terms', tags: words(3) },
    ...{ additionalInformation: { termsAndConditions: true }, description: '' },
  }
  const service = {
    ...{ id: createHash('sha256').update(`service ${id}`).digest('hex'), type: next() < 0.7 ? 'access' : 'compute' },
    ...{ files: `0x${files}`, datatokenAddress: token, serviceEndpoint: 'https://provider.example.com' },
    timeout: 86_400,
  }
  const common = { '@context': ['https://w3id.org/did/v1'], id: didOf(nft, chainId), version: '4.1.0', chainId }
  const document = { ...common, nftAddress: nft, metadata, services: [service] }
  const left = DOCUMENT_SIZE - Buffer.byteLength(JSON.stringify(document))
  metadata.description = words(left / 3)
    .join(' ')
    .slice(0, left)
  return Buffer.from(JSON.stringify(document))
}
