import type { Address } from 'viem'
import { address, addressesOf, ownerOf, TOKENS } from './search-documents.js'
import { consumerAt } from './search-pour.js'
import { addressOf, EXCHANGE, ownerIn } from './synthetic-blocks.js'
import { wordBy } from './synthetic-documents.js'

/** What is in a catalogue, for searches to name. */
export interface Corpus {
  /** Assets. */
  count: number
  /** Returns a word: a frequent or a rare one, as they are in the texts. */
  word(): string
  /** A word that most documents have. */
  frequent: string
  nft(asset: number): Address
  datatoken(asset: number): Address
  owner(asset: number): Address
  /** Returns one of many consumers with about twenty orders. */
  consumer(at: number): Address
  /** The consumer with the most orders. */
  buyer: Address
  /** Tokens of prices. */
  tokens: string[]
}

/** The words that both kinds of databases have. */
const WORDS = { word: () => wordBy(Math.random()), frequent: wordBy(0.21) }

/** Of a database that was bulk-loaded (search-pour.ts). */
export function pouredCorpus(count: number): Corpus {
  return {
    ...{ ...WORDS, count, tokens: TOKENS, owner: ownerOf, buyer: address(consumerAt(0)) },
    nft: (asset) => addressesOf(asset).nft,
    datatoken: (asset) => addressesOf(asset).datatoken,
    consumer: (at) => address(consumerAt(1 + (at % Math.ceil(count / 2)))),
  }
}

/** Of a database that an index has filled from a synthetic chain. */
export function indexedCorpus(count: number): Corpus {
  // consumers have orders by their rank: the one at this rank has twenty of five million
  const twenty = Math.max(1, Math.floor(count / 46))
  return {
    ...{ ...WORDS, count, tokens: [EXCHANGE] },
    nft: (asset) => addressOf('nft', asset),
    datatoken: (asset) => addressOf('token', asset),
    owner: ownerIn,
    consumer: (at) => addressOf('consumer', twenty + (at % twenty)),
    buyer: addressOf('consumer', 1),
  }
}
