import { ADDRESS, HEX, type JsonSchema, named, object } from '../docs.js'
import { ASSET } from './asset.js'

const TEXT: JsonSchema = { type: 'string' }
const COUNT: JsonSchema = { type: 'integer', minimum: 0 }
const WORDS: JsonSchema = { anyOf: [TEXT, { type: 'array', items: TEXT }] }
const BY_FIELD: JsonSchema = { type: 'object', additionalProperties: true, description: 'Conditions by field.' }
const CLAUSE: JsonSchema = { $ref: '#/components/schemas/Query' }
const CLAUSES: JsonSchema = { anyOf: [CLAUSE, { type: 'array', items: CLAUSE }] }

/** Returns an object schema of which every property may be absent. */
const optional = (properties: Record<string, JsonSchema>) => object(properties, Object.keys(properties))

const QUERY = named('Query', {
  ...optional({
    match_all: BY_FIELD,
    match: BY_FIELD,
    match_phrase: BY_FIELD,
    multi_match: optional({ query: TEXT, fields: { type: 'array', items: TEXT } }),
    query_string: optional({ query: TEXT, fields: { type: 'array', items: TEXT }, default_operator: TEXT }),
    term: BY_FIELD,
    terms: BY_FIELD,
    range: BY_FIELD,
    exists: optional({ field: TEXT }),
    ids: optional({ values: { type: 'array', items: TEXT } }),
    bool: optional({
      must: CLAUSES,
      should: CLAUSES,
      filter: CLAUSES,
      must_not: CLAUSES,
      minimum_should_match: { anyOf: [COUNT, TEXT] },
    }),
  }),
  description: 'One clause of the query language: docs/search.md lists their parameters.',
})

/** The body of a search. */
export const SEARCH = named('Search', {
  ...optional({
    query: QUERY,
    from: { ...COUNT, description: 'Documents to skip.' },
    size: { ...COUNT, description: 'Documents of the page.' },
    sort: {
      anyOf: [TEXT, BY_FIELD, { type: 'array', items: { anyOf: [TEXT, BY_FIELD] } }],
      description: 'Fields and directions.',
    },
    _source: {
      anyOf: [{ type: 'boolean' }, WORDS, optional({ includes: WORDS, excludes: WORDS })],
      description: 'The fields of documents to answer.',
    },
    aggs: { type: 'object', additionalProperties: BY_FIELD, description: 'Aggregations by name: terms and sum.' },
    track_total_hits: { anyOf: [{ type: 'boolean' }, COUNT] },
    terminate_after: COUNT,
    index: { ...TEXT, description: 'Index of Ocean Node, for the form of its answers: op_ddo_v4.1.0, order.' },
  }),
  examples: [{ query: { match: { 'metadata.name': 'tide' } }, size: 10 }],
})

const HIT = named(
  'Hit',
  object(
    {
      _index: TEXT,
      _id: { ...TEXT, description: 'The DID.' },
      _score: { type: ['number', 'null'] },
      _source: ASSET,
    },
    ['_source'],
  ),
)

const TOTAL = named('Total', object({ value: COUNT, relation: { enum: ['eq', 'gte'] } }))

/** The answer of a search with scores. */
export const SEARCH_ANSWER = named(
  'SearchAnswer',
  object(
    {
      took: { ...COUNT, description: 'Milliseconds.' },
      timed_out: { type: 'boolean', description: 'Always false.' },
      _shards: {
        ...named('Shards', object({ total: COUNT, successful: COUNT, skipped: COUNT, failed: COUNT })),
        description: 'The chains; those with a stale index count as failed.',
      },
      hits: named(
        'Hits',
        object({ total: TOTAL, max_score: { type: ['number', 'null'] }, hits: { type: 'array', items: HIT } }, [
          'total',
        ]),
      ),
      aggregations: { type: 'object', additionalProperties: BY_FIELD, description: 'Aggregations by name.' },
    },
    ['aggregations'],
  ),
)

const ORDER = named(
  'Order',
  object(
    {
      orderId: { ...HEX, description: 'Hash of the transaction.' },
      type: { enum: ['startOrder', 'reuseOrder'] },
      timestamp: COUNT,
      consumer: ADDRESS,
      payer: ADDRESS,
      datatokenAddress: ADDRESS,
      nftAddress: ADDRESS,
      did: TEXT,
      startOrderId: { anyOf: [HEX, { type: 'string' }, { type: 'null' }] },
      serviceIndex: COUNT,
      chainId: COUNT,
    },
    ['startOrderId', 'did', 'nftAddress'],
  ),
)

const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
const pageOf = (items: JsonSchema) => listOf(object({ results: listOf(items), totalResults: COUNT }))

/** The documents of a search: a list, or with `index` one of the forms that front ends of Ocean Node read. */
export const DOCUMENTS = named('Documents', {
  anyOf: [listOf(ASSET), listOf(listOf(ASSET)), listOf(listOf(ORDER)), pageOf(ASSET), pageOf(ORDER)],
  description:
    'A list of documents. With index it is a list for each index, or a page with a total; of orders with the index order.',
})
