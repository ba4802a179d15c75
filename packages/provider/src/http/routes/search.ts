import {
  CATALOG_LIMITS,
  type Found,
  type FrontEndSearch,
  type Hit,
  hitsOf,
  isCurrent,
  LongDocuments,
  lastPageOf,
  readFrontEndSearch,
  readSearch,
  type Scope,
  type Search,
} from '@tidegate/catalog'
import { ChainError, type IndexedAsset, isConsumable } from '@tidegate/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.js'
import { isReadingRestricted } from '../endpoints/decrypters.js'
import { type EndpointDoc, json, object } from '../endpoints/docs.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { sendParts } from '../parts.js'

const PREFIX = '/api/aquarius/assets'

const QUERY: EndpointDoc['body'] = {
  contentType: 'application/json',
  schema: {
    type: 'object',
    properties: {
      query: { type: 'object' },
      from: { type: 'integer', minimum: 0 },
      size: { type: 'integer', minimum: 0 },
      sort: {},
      _source: {},
      aggs: { type: 'object' },
      track_total_hits: { type: ['boolean', 'integer'], minimum: 0 },
    },
  },
  description: 'A search as Elasticsearch has it: the part of its language that docs/search.md lists.',
}
const ERRORS = ['SEARCH_UNAVAILABLE', 'CHAIN_UNAVAILABLE'] as const
const DESCRIPTION =
  'Finds active and unlisted assets by what their documents say. A construct that is not understood is refused by its name. Of a chain whose index is not up to date nothing is found; _shards tells of how many.'

/** Searches assets, and returns hits with scores. */
export const searchAssets: Endpoint = {
  names: [],
  method: 'POST',
  path: `${PREFIX}/query`,
  anonymous: true,
  doc: {
    summary: 'Search assets',
    description: DESCRIPTION,
    body: QUERY,
    responses: {
      200: json(
        'The hits of the page, as Elasticsearch answers.',
        object(
          {
            took: { type: 'integer' },
            timed_out: { const: false },
            _shards: { type: 'object' },
            hits: object(
              {
                total: { type: 'object' },
                max_score: { type: ['number', 'null'] },
                hits: { type: 'array' },
              },
              ['total'],
            ),
            aggregations: { type: 'object' },
          },
          ['aggregations'],
        ),
      ),
    },
    errors: ERRORS,
  },
  register(app, context) {
    searchRoute(
      app,
      this.path,
      context,
      (body) => ({ search: readSearch(body) }),
      async function* ({ found, hits, took, shards, wantsAggregations }) {
        const aggregations = wantsAggregations ? { aggregations: found.aggregations } : {}
        const page = written({ total: found.total, max_score: found.maxScore }, '"hits":[').slice(0, -1)
        yield written({ took, timed_out: false, _shards: shards, ...aggregations }, `"hits":${page}`).slice(0, -1)
        let comma = ''
        for await (const { did, score, document } of hits) {
          yield comma + written({ _index: 'aquarius', _id: did, _score: score }, document && `"_source":${document}`)
          comma = ','
        }
        yield ']}}'
      },
    )
  },
}

/** Searches assets, and returns only their documents. */
export const searchMetadata: Endpoint = {
  names: [],
  method: 'POST',
  path: `${PREFIX}/metadata/query`,
  anonymous: true,
  doc: {
    summary: 'Search assets, documents alone',
    description: `${DESCRIPTION} The answer is the list of their documents.`,
    body: QUERY,
    responses: { 200: json('The documents of the page.', { type: 'array', items: { type: 'object' } }) },
    errors: ERRORS,
  },
  register(app, context) {
    const read = (body: unknown): Asked => {
      const asked: Asked = readFrontEndSearch(body) ?? { search: readSearch(body) }
      // only the form of version 5 says how many there are
      return asked.version === 5 ? asked : { ...asked, search: { ...asked.search, counted: undefined } }
    }
    searchRoute(app, this.path, context, read, async function* ({ found, hits, version }) {
      // what front ends of Ocean Node read: a list for each index, in two forms
      const [open, close] =
        version === 5 ? ['[{"results":[', `],"totalResults":${found.total?.value ?? 0}}]`] : ['[[', ']]']
      if (version === 4 && found.hits.length === 0) return yield '[]'
      yield version === undefined ? '[' : open
      let comma = ''
      for await (const { did, document } of hits) {
        yield comma + (document ?? JSON.stringify({ id: did }))
        comma = ','
      }
      yield version === undefined ? ']' : close
    })
  },
}

/** Serializes an object as JSON, with an additional entry that is already JSON. */
function written(entries: object, more: string | undefined): string {
  const text = JSON.stringify(entries)
  return more === undefined ? text : `${text.slice(0, -1)},${more}}`
}

/** A search, and the version of documents whose reader wants its own form; see `readFrontEndSearch`. */
type Asked = { search: Search; version?: FrontEndSearch['version'] }

interface Answered extends Pick<Asked, 'version'> {
  found: Found
  hits: AsyncIterable<Hit>
  /** Milliseconds until the hits were known. */
  took: number
  /** The chains as shards; those with a stale index count as failed. */
  shards: { total: number; successful: number; skipped: 0; failed: number }
  wantsAggregations: boolean
}

function searchRoute(
  app: FastifyInstance,
  path: string,
  context: Context,
  read: (body: unknown) => Asked,
  answer: (answered: Answered) => AsyncGenerator<string>,
): void {
  const { settings, store, onChain, purgatory, anonymous } = context
  const bodyLimit = Math.min(CATALOG_LIMITS.search.body, settings.MAX_BODY_SIZE)
  const long = new LongDocuments((asset) => store.search.document(asset), context.documents)
  app.post(path, { bodyLimit }, async (request, reply) => {
    const begun = performance.now()
    const { search, ...form } = read(request.body)
    const progress = context.progress()
    const chains = progress.filter((one) => isCurrent(one, settings)).map(({ chainId }) => chainId)
    if (chains.length === 0) throw new ChainError('CHAIN_UNAVAILABLE', 'The index is not up to date. Try again later.')
    anonymous.assertBytesLeft(request, reply)
    const scope = { chains, encrypted: !isReadingRestricted(settings), purgatory: purgatory.dids() }
    let found = await store.search.find(search, scope)
    // readers of version 5 ask for a page behind the last one, and mean the last
    const last = form.version === 5 ? lastPageOf(search, found.total?.value ?? 0) : undefined
    if (last) found = await store.search.find(last, scope)
    const hits = hitsOf(found, search.source, {
      facts: (asset) => onChain.of(asset),
      purgatory: (did) => purgatory.reasonFor(did),
      assets: async (dids) => findable(await store.search.assets(dids), scope),
      long,
      signal: request.lifetime.signal,
    })
    const [total, successful] = [progress.length, chains.length]
    const took = Math.round(performance.now() - begun)
    const shards = { total, successful, skipped: 0, failed: total - successful } as const
    const wantsAggregations = Object.keys(search.aggregations).length > 0
    reply.type('application/json; charset=utf-8')
    const parts = answer({ found, hits, took, shards, wantsAggregations, ...form })
    return sendParts(reply, parts, {
      whole: CATALOG_LIMITS.search.whole,
      stallTimeout: settings.CONSUMER_STALL_TIMEOUT,
      onSent: (bytes) => anonymous.spend(request, bytes),
    })
  })
}

/** Those of some assets that a search may still find: they may have changed since. */
function findable(assets: Map<string, IndexedAsset>, { chains, encrypted }: Scope): Map<string, IndexedAsset> {
  for (const [did, { chainId, metadata }] of assets)
    if (!chains.includes(chainId) || !isConsumable(metadata.state) || (metadata.encrypted && !encrypted))
      assets.delete(did)
  return assets
}
