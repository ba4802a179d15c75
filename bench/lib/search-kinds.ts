import { searchQuery } from '../../packages/protocol/src/asset/search-query.js'
import { didOf } from '../../packages/protocol/src/ddo/ddo.js'
import { PREFIX } from '../../packages/provider/src/http/routes/assets.js'
import type { Corpus } from './corpus.js'
import { CHAIN } from './search-documents.js'
import { raw } from './stage.js'

/** A search as a front end sends it. `path`: the end of its path. */
export interface Asked {
  path: '/query' | '/metadata/query'
  body: object
}

/** Returns the request of a search. */
export const requestOf = ({ path, body }: { path: string; body: object }): string =>
  raw('POST', `${PREFIX}${path}`, { 'content-type': 'application/json' }, JSON.stringify(body))

/** Connections that searches are measured over: in a smoke run, as few as are asked at the same time. */
export const connectionsOf = (smoke: boolean): number => (smoke ? 2 : 8)

const SIZE = 21
const FILTERS = [{ term: { chainId: CHAIN } }, { term: { 'metadata.type': 'dataset' } }]
const FIELDS = ['metadata.name^10', 'metadata.author', 'metadata.description', 'metadata.tags']
/** Fields that markets search, with those of their names of version 4. */
const MARKET_FIELDS = ['id', 'nft.owner', 'datatokens.address', 'datatokens.name', 'datatokens.symbol', ...FIELDS]

const random = (below: number) => Math.floor(Math.random() * below)
const body = (body: object): Asked => ({ path: '/query', body })
/** Returns a search that names an index, which the form of Ocean Node's front ends answers. */
const market = (part: object): Asked => ({
  path: '/metadata/query',
  body: { index: 'op_ddo_v4.1.0', from: 1, ...part },
})
const found = (query: object) => ({ query: { bool: { must: [query], filter: FILTERS } }, size: SIZE })
const allOf = (query: string) => ({ query_string: { query, fields: FIELDS, default_operator: 'AND' } })

/** The filters of each search of a market. */
const SHOWN = [
  { terms: { chainId: [CHAIN, 11155111] } },
  { term: { 'purgatory.state': false } },
  {
    bool: {
      must_not: [
        { term: { chainId: 11155420 } },
        { term: { 'nft.state': 5 } },
        { term: { 'indexedMetadata.stats.prices.type': 'pool' } },
      ],
    },
  },
]
const ON_SALE = [{ term: { 'nft.state': 0 } }, { term: { 'services.type': 'access' } }, FILTERS[1] as object]
const shown = (...more: object[]) => ({ bool: { filter: [...more, ...SHOWN] } })

/** The text search of markets: the same text in four forms. */
const marketText = (query: string) => ({
  bool: {
    must: [
      {
        bool: {
          should: [
            { query_string: { query, fields: MARKET_FIELDS, minimum_should_match: '2<75%', phrase_slop: 2, boost: 5 } },
            { query_string: { query: `${query}*`, fields: MARKET_FIELDS, boost: 5, lenient: true } },
            { match_phrase: { content: { query, boost: 10 } } },
            { query_string: { query: `*${query}*`, fields: MARKET_FIELDS, default_operator: 'AND' } },
          ],
        },
      },
    ],
    filter: [...ON_SALE, ...SHOWN],
  },
})
const console = (options: object, more: object) => body({ query: searchQuery(options), size: 24, ...more })
const facets = (options: object) =>
  console(options, {
    size: 0,
    terminate_after: 10_000,
    aggs: {
      types: { terms: { field: 'metadata.type.keyword', size: 12 } },
      tags: { terms: { field: 'metadata.tags.keyword', size: 24 } },
    },
  })
const price = () => String(1 + random(500))
const orders = (consumer: string, size: number) =>
  market({ index: 'order', size, query: { bool: { filter: [{ term: { 'consumer.keyword': consumer } }] } } })

/** Returns a search for a pair of words. */
export const wordsBoth = ({ word }: Corpus): Asked => body(found(allOf(`${word()} ${word()}`)))

/** Kinds of searches; the rank of a word determines whether it is common or rare. */
export function kindsOf(corpus: Corpus): Record<string, () => Asked> {
  const { count, word, tokens } = corpus
  const datatokens = (some: number) => Array.from({ length: some }, () => corpus.datatoken(random(count)))
  const nft = () => corpus.nft(random(count))
  const token = () => tokens[random(tokens.length)] as string
  return {
    'text with two filters': () => body(found({ query_string: { query: word(), fields: FIELDS } })),
    'the same, two words': () => wordsBoth(corpus),
    'the same, not counted': () =>
      body({ ...found({ query_string: { query: word(), fields: FIELDS } }), track_total_hits: false }),
    'the same, a word of most': () => body(found({ query_string: { query: corpus.frequent, fields: FIELDS } })),
    'two words, both': () =>
      body(found({ match: { 'metadata.description': { query: `${word()} ${word()}`, operator: 'and' } } })),
    'beginning of a word': () => body(found({ query_string: { query: `${word()}*`, fields: FIELDS } })),
    'newest, no text': () => body({ ...found({ match_all: {} }), sort: { 'nft.created': 'desc' } }),
    'by orders, of all': () => body({ ...found({ match_all: {} }), sort: { 'stats.orders': 'desc' } }),
    'counting tags of all': () =>
      body({ size: 0, aggs: { tags: { terms: { field: 'metadata.tags.keyword', size: 100 } } } }),
    'market: home': () => market({ size: 6, query: shown(), sort: { 'indexedMetadata.event.block': 'desc' } }),
    'market: text': () => market({ size: SIZE, query: marketText(word()), sort: { _score: 'desc' } }),
    'market: text, page of 1,000': () => market({ size: 1000, query: marketText(word()), sort: { _score: 'desc' } }),
    'market: tag': () =>
      market({
        size: SIZE,
        query: shown({ term: { 'metadata.tags.keyword': word() } }, ...ON_SALE),
        sort: { 'indexedMetadata.event.block': 'desc' },
      }),
    'market: by price': () => market({ size: SIZE, query: shown(...ON_SALE), sort: { 'stats.price.value': 'desc' } }),
    'market: no such field to sort by': () =>
      market({ size: SIZE, query: shown(...ON_SALE), sort: { 'indexedMetadata.events.block': 'desc' } }),
    'market: related by tags': () =>
      market({
        size: 4,
        query: {
          bool: {
            must_not: { term: { 'nftAddress.keyword': nft() } },
            filter: [{ terms: { 'metadata.tags.keyword': [word(), word(), word()] } }, ...SHOWN],
          },
        },
        sort: { 'indexedMetadata.stats.orders': 'desc' },
      }),
    'market: top tags': () =>
      market({
        size: 0,
        query: shown(),
        aggs: {
          topTags: {
            terms: { field: 'metadata.tags.keyword', size: 20, order: { totalSales: 'desc' } },
            aggs: { totalSales: { sum: { field: 'stats.orders' } } },
          },
        },
      }),
    'market: top publishers': () =>
      body({
        size: 9,
        query: shown(),
        sort: { 'nft.created': 'desc' },
        aggs: {
          topPublishers: {
            terms: { field: 'nft.owner.keyword', order: { totalSales: 'desc' } },
            aggs: { totalSales: { sum: { field: 'stats.orders' } } },
          },
        },
      }),
    'market: sales of a publisher': () =>
      body({
        size: 9,
        query: shown({ term: { 'nft.owner': corpus.owner(random(count)) } }),
        sort: { 'nft.created': 'desc' },
        aggs: { totalOrders: { sum: { field: 'stats.orders' } } },
      }),
    'own: 20 orders': () => orders(corpus.consumer(random(count)), 100),
    'own: page of 1,000 of 100,000 orders': () => orders(corpus.buyer, 1000),
    'own: the assets of 20': () =>
      market({
        size: 9,
        query: shown({ terms: { 'services.datatokenAddress.keyword': datatokens(20) } }, ON_SALE[1] as object),
      }),
    'console: text as typed': () => console({ text: `${word()} ${word().slice(0, -1)}`, beginning: true }, {}),
    'console: facets of all': () => facets({}),
    'console: facets of a text': () => facets({ text: word(), beginning: true }),
    'console: facets of a tag': () => facets({ tags: [word()] }),
    'console: by price in a token': () =>
      console({ free: false, price: { token: token(), most: price() } }, { sort: [{ 'stats.price.value': 'asc' }] }),
    'console: text by price in a token': () =>
      console(
        { text: word(), free: false, price: { token: token(), most: price() } },
        { sort: [{ 'stats.price.value': 'asc' }] },
      ),
    'console: by price': () => console({ type: 'dataset' }, { sort: [{ 'stats.price.value': 'asc' }] }),
    'console: by name': () => console({ type: 'dataset' }, { sort: [{ 'metadata.name.keyword': 'asc' }] }),
    'console: oldest': () => console({ type: 'dataset' }, { sort: [{ 'nft.created': 'asc' }] }),
    'console: page 400': () => console({ type: 'dataset' }, { from: 399 * 24, sort: [{ 'nft.created': 'desc' }] }),
    'a DID': () => body(found(allOf(`"${didOf(nft(), CHAIN)}"`))),
  }
}
