import fc from 'fast-check'
import type { Address } from 'viem'
import { orderOf } from '../../../../test/helpers/orders.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import type { IndexChange } from '../../src/index/index-store.js'

// Assets and searches as fast-check makes them up: documents with the same few words, so that many searches find some.

export const CHAIN = 7
const WORDS = [
  'ocean',
  'Tide',
  'données',
  'DONNEES',
  '海洋',
  '海',
  '海洋数据',
  'データ海',
  'iPhone手机',
  'น้ำทะเล',
  'ทะเล',
  'covid-19',
  'zebra',
  'ze',
  '12',
  'a b',
  "o'neil",
  '😀',
  'ß',
  'İ',
]
const SOURCE_WORDS = fc.constantFrom(...WORDS)
export const TEXT = fc.array(SOURCE_WORDS, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))
export const address = (at: number) => `0x${String(at + 1).padStart(40, '0')}` as Address
const iso = (day: number) => `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`

const METADATA = fc.record(
  {
    name: TEXT,
    description: TEXT,
    author: SOURCE_WORDS,
    type: fc.constantFrom<unknown>(
      'dataset',
      'dataset',
      'algorithm',
      'Dataset',
      'data set',
      ['dataset', 'algorithm'],
      [],
      12,
    ),
    tags: fc.array(SOURCE_WORDS, { maxLength: 3 }),
    updated: fc.integer({ min: 1, max: 5 }).map(iso),
    odd: fc.oneof(
      fc.integer({ min: -3, max: 3 }),
      SOURCE_WORDS,
      fc.boolean(),
      fc.constant('2026-01-03'),
      fc.constant(0.1),
    ),
    long: fc.constantFrom('x'.repeat(300), 'tide '.repeat(300), '\0', "'; DROP TABLE search_document; --"),
  },
  { requiredKeys: ['name', 'type'] },
)
export const ASSET = fc.record({
  metadata: METADATA,
  day: fc.integer({ min: 1, max: 4 }),
  orders: fc.integer({ min: 0, max: 3 }),
  state: fc.constantFrom(0, 0, 0, 5, 3),
})

const NAME = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('tide', 'tides', 'Tide', 'ärger') },
  fc.constantFrom(7, '2026-01-03', 'x'.repeat(300), undefined),
)
/** Assets with names that repeat, and that are numbers, times, long, several or none. */
export const NAMED = fc
  .tuple(ASSET, fc.oneof(NAME, fc.array(NAME, { maxLength: 3 })))
  .map(([asset, name]) => ({ ...asset, metadata: { ...asset.metadata, name } }))

const PATH = fc.constantFrom(
  'metadata.name',
  'metadata.description',
  'metadata.tags',
  'metadata.type',
  'metadata.odd',
  'metadata.updated',
  'metadata.long',
  'metadata',
  'id',
  'nft.created',
  'nft.state',
  'stats.orders',
  'indexedMetadata.stats.orders',
  'indexedMetadata.nft.name',
  'chainId',
  'services.files',
  'services.timeout',
  'datatokens.name',
  'purgatory.state',
  'nowhere',
  '__proto__',
  "x' OR 1=1",
)
const FIELD = fc.oneof(
  { weight: 3, arbitrary: PATH },
  PATH.map((path) => `${path}.keyword`),
)
const VALUE = fc.oneof(
  SOURCE_WORDS,
  fc.constantFrom('dataset', 'true', 'false', 'x'.repeat(300), iso(2), '"', "'", ''),
  fc.integer({ min: -1, max: 8 }),
  fc.boolean(),
  fc.integer({ min: 0, max: 9 }).map((at) => didOf(address(at), CHAIN)),
)
const WEIGHTED = fc.tuple(PATH, fc.constantFrom('', '^2', '^0.5', '^10', '^0')).map(([path, weight]) => path + weight)
const LONG_TEXTS = ['metadata.name^10', 'metadata.author', 'metadata.description', 'metadata.tags']
export const FIELDS = fc.oneof(
  { weight: 2, arbitrary: fc.array(fc.oneof(WEIGHTED, fc.constant('*')), { minLength: 1, maxLength: 3 }) },
  fc.constant(LONG_TEXTS),
)
/** Fields that front ends search together, some without one of them, or with another one. */
const FRONT_END_FIELDS = fc.oneof(
  fc.constant(LONG_TEXTS),
  fc.subarray(LONG_TEXTS, { minLength: 3 }),
  fc.constant(['metadata.name']),
  PATH.map((path) => [path, ...LONG_TEXTS]),
)
/** Texts that front ends search for. */
export const FRONT_END_TEXT = fc
  .tuple(
    fc.array(SOURCE_WORDS, { minLength: 1, maxLength: 2 }),
    fc.constantFrom('', '', '', '*', ' NOT tide', ' AND ocean', ' OR (NOT tide)'),
  )
  .map(([words, more]) => words.join(' ') + more)
/** The kinds that front ends filter by, in any case, and one that few have. */
const KIND = fc
  .tuple(
    fc.constantFrom('metadata.type', 'metadata.type.keyword'),
    fc.constantFrom('dataset', 'algorithm', 'Dataset', '12'),
  )
  .map(([path, kind]) => ({ term: { [path]: kind } }))
/** A search as front ends make it: for text in documents of a kind. */
const ofKind = (query: object, kind: object) => ({ bool: { must: [query], filter: [kind] } })
const LEAST = fc.constantFrom(1, 2, -1, '75%', '2<75%', '-25%', '1<-1 3<50%')
const BOOST = fc.constantFrom(1, 2, 0.3, 0)
/** Values that no document has, mostly none of them: so many that PostgreSQL looks them up in several queries. */
const MANY = fc
  .constantFrom(0, 0, 0, 0, 0, 40)
  .map((count) => Array.from({ length: count }, (_, at) => (at % 2 ? `none${at}` : `none of ${at}`)))
const OPERATOR = fc.constantFrom('and', 'or', 'AND')
const STRING = fc
  .array(
    fc.oneof(
      SOURCE_WORDS,
      SOURCE_WORDS.map((word) => `${word}*`),
      TEXT.map((text) => `"${text}"`),
      fc.constantFrom('AND', 'OR', 'NOT', '*', '-', '+ocean', '-tide', 'tide^3', '\\*'),
      SOURCE_WORDS.map((word) => `(${word} OR NOT ocean)`),
      fc.tuple(PATH, SOURCE_WORDS).map(([path, word]) => `${path}:${word}`),
      fc.tuple(PATH, SOURCE_WORDS).map(([path, word]) => `${path.replace(/[ :']/g, '')}:(${word} tide*)`),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(' '))

const { clause } = fc.letrec<{ clause: object }>((tie) => {
  const some = fc.array(tie('clause'), { maxLength: 3 })
  return {
    clause: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom({ match_all: {} }, { match_none: {} }),
      fc
        .tuple(FIELD, TEXT, OPERATOR, BOOST)
        .map(([path, query, operator, boost]) => ({ match: { [path]: { query, operator, boost } } })),
      fc
        .tuple(FIELD, TEXT, LEAST)
        .map(([path, query, rule]) => ({ match: { [path]: { query, minimum_should_match: rule } } })),
      fc.tuple(FIELD, TEXT).map(([path, query]) => ({ match_phrase: { [path]: query } })),
      fc
        .tuple(FIELDS, TEXT, fc.constantFrom('best_fields', 'phrase'), OPERATOR)
        .map(([fields, query, type, operator]) => ({ multi_match: { query, fields, type, operator } })),
      fc.tuple(FIELDS, STRING, OPERATOR, BOOST).map(([fields, query, default_operator, boost]) => ({
        query_string: { query, fields, default_operator, boost },
      })),
      fc
        .tuple(FRONT_END_FIELDS, FRONT_END_TEXT, OPERATOR, KIND)
        .map(([fields, query, default_operator, kind]) =>
          ofKind({ query_string: { query, fields, default_operator } }, kind),
        ),
      fc.tuple(STRING, LEAST).map(([query, rule]) => ({ query_string: { query, minimum_should_match: rule } })),
      fc.tuple(FIELD, VALUE, BOOST).map(([path, value, boost]) => ({ term: { [path]: { value, boost } } })),
      fc
        .tuple(FIELD, fc.array(VALUE, { maxLength: 4 }), MANY)
        .map(([path, values, others]) => ({ terms: { [path]: [...values, ...others] } })),
      FIELD.map((field) => ({ exists: { field } })),
      fc
        .tuple(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 4 }), MANY)
        .map(([list, others]) => ({ ids: { values: [...others, ...list.map((at) => didOf(address(at), CHAIN))] } })),
      fc
        .tuple(
          PATH,
          fc.constantFrom('gt', 'gte'),
          fc.constantFrom('lt', 'lte'),
          fc.constantFrom(0, 1, 0.1, iso(3), '2026-01-02', 2e12),
        )
        .map(([path, gt, lt, end]) => ({
          range: { [path]: { [gt]: end === 2e12 ? 0 : end, [lt]: end === 0 ? 3 : 2e12 } },
        })),
      fc
        .record(
          { must: some, filter: some, should: some, must_not: some, minimum_should_match: LEAST, boost: BOOST },
          { requiredKeys: [] },
        )
        .map((body) => ({ bool: body })),
    ),
  }
})
const SORT = fc.array(
  fc.oneof(
    fc
      .tuple(FIELD, fc.constantFrom('asc', 'desc'), fc.constantFrom('_first', '_last'))
      .map(([path, order, missing]) => ({ [path]: { order, missing } })),
    fc.constantFrom('_score', { _score: 'asc' }, { 'nft.created': 'desc' }),
  ),
  { maxLength: 2 },
)
const TERMS = fc
  .tuple(
    FIELD,
    fc.integer({ min: 1, max: 4 }),
    fc.constantFrom('_count', '_key', 'sales'),
    fc.constantFrom('asc', 'desc'),
    FIELD,
  )
  .map(([field, size, by, order, inner]) => ({
    terms: { field, size, order: { [by]: order } },
    aggs: { sales: { sum: { field: 'stats.orders' } }, inner: { terms: { field: inner, size: 2 } } },
  }))
export const BODY = fc.record(
  {
    query: clause,
    sort: SORT,
    from: fc.integer({ min: 0, max: 3 }),
    size: fc.integer({ min: 0, max: 20 }),
    track_total_hits: fc.oneof(fc.boolean(), fc.nat(12)),
    aggs: fc.record({ keys: TERMS, total: fc.constant({ sum: { field: 'stats.orders' } }) }, { requiredKeys: [] }),
  },
  { requiredKeys: ['query'] },
)

/** The index changes that a chain with these assets would cause. */
export function changesOf(
  assets: (Omit<typeof ASSET extends fc.Arbitrary<infer T> ? T : never, 'metadata'> & { metadata: object })[],
): IndexChange[] {
  return assets.flatMap(({ metadata, day, orders, state }, at): IndexChange[] => {
    const [nft, datatoken] = [address(at), address(1000 + at)]
    const did = didOf(nft, CHAIN)
    const services = [{ id: 'a', type: 'access', files: '0xsecret', datatokenAddress: datatoken, timeout: at % 2 }]
    const ddo = JSON.stringify({
      id: did,
      version: '4.1.0',
      chainId: CHAIN + (at % 2),
      nftAddress: nft,
      metadata,
      services,
    })
    const event = { txId: '0x1', block: 1, from: nft, timestamp: 1 } as const
    return [
      {
        kind: 'nft',
        nft: { address: nft, name: `Nft ${at}`, symbol: 'N', tokenUri: '', owner: nft, created: iso(day) },
      },
      { kind: 'datatoken', datatoken: { address: datatoken, nft, name: 'Data Token', symbol: 'D' } },
      { kind: 'metadata', metadata: { nft, did, state, ddo, reason: null, encrypted: at % 3 === 0, ...event } },
      ...Array.from({ length: orders }, () => orderOf(datatoken)),
    ]
  })
}
