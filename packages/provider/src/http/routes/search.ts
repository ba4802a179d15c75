import {
  CATALOG_LIMITS,
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
  type SearchResult,
} from '@tidegate/catalog'
import { ChainError, type IndexedAsset, isConsumable } from '@tidegate/protocol'
import type { FastifyInstance } from 'fastify'
import { isReadingRestricted } from '../endpoints/decrypters.js'
import { type EndpointDoc, json, object } from '../endpoints/docs.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { sendParts } from '../parts.js'
import type { Services } from '../services.js'

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
  register(app, services) {
    searchRoute(
      app,
      this.path,
      services,
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
  register(app, services) {
    const read = (body: unknown): Asked => {
      const asked: Asked = readFrontEndSearch(body) ?? { search: readSearch(body) }
      // only the form of version 5 says how many there are
      return asked.version === 5 ? asked : { ...asked, search: { ...asked.search, counted: undefined } }
    }
    searchRoute(app, this.path, services, read, async function* ({ found, hits, version }) {
      // front ends of Ocean Node read a list for each index, in two forms
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
  found: SearchResult
  hits: AsyncIterable<Hit>
  /** Milliseconds until the hits were known. */
  took: number
  /** The chains as shards; those with a stale index count as failed. */
  shards: { total: number; successful: number; skipped: 0; failed: number }
  wantsAggregations: boolean
}

type SearchServices = Pick<Services, 'settings' | 'access' | 'catalog' | 'anonymous'>

function searchRoute(
  app: FastifyInstance,
  path: string,
  services: SearchServices,
  read: (body: unknown) => Asked,
  answer: (answered: Answered) => AsyncGenerator<string>,
): void {
  const { settings, anonymous } = services
  const bodyLimit = Math.min(CATALOG_LIMITS.search.body, settings.MAX_BODY_SIZE)
  const run = searcher(services)
  app.post(path, { bodyLimit }, async (request, reply) => {
    const begun = performance.now()
    const asked = read(request.body)
    anonymous.assertBytesLeft(request)
    const answered = await run(asked, request.lifetime.signal)
    reply.type('application/json; charset=utf-8')
    return sendParts(reply, answer({ ...answered, took: Math.round(performance.now() - begun) }), {
      whole: CATALOG_LIMITS.search.whole,
      stallTimeout: settings.CONSUMER_STALL_TIMEOUT,
      onSent: (bytes) => anonymous.spend(request, bytes),
    })
  })
}

/** Creates the search of chains with a current index. It throws ChainError if there is none, and SearchError. */
function searcher({ settings, access, catalog }: SearchServices) {
  const { onChain, documents, search: index } = catalog
  const { purgatory } = access
  const long = new LongDocuments((asset) => index.document(asset), documents)
  return async ({ search, ...form }: Asked, signal: AbortSignal): Promise<Omit<Answered, 'took'>> => {
    const progress = catalog.progress()
    const chains = progress.filter((one) => isCurrent(one, settings)).map(({ chainId }) => chainId)
    if (chains.length === 0) throw new ChainError('CHAIN_UNAVAILABLE', 'The index is not up to date. Try again later.')
    const scope = { chains, encrypted: !isReadingRestricted(settings), purgatory: purgatory.dids() }
    let found = await index.find(search, scope)
    // readers of version 5 ask for a page behind the last one, and mean the last
    const last = form.version === 5 ? lastPageOf(search, found.total?.value ?? 0) : undefined
    if (last) found = await index.find(last, scope)
    const hits = hitsOf(found, search.source, {
      facts: (asset) => onChain.of(asset),
      purgatory: (did) => purgatory.reasonFor(did),
      assets: async (dids) => findable(await index.assets(dids), scope),
      long,
      signal,
    })
    const [total, successful] = [progress.length, chains.length]
    const shards = { total, successful, skipped: 0, failed: total - successful } as const
    return { found, hits, shards, wantsAggregations: Object.keys(search.aggregations).length > 0, ...form }
  }
}

/** Returns those of some assets that a search may still find: they may have changed since. */
function findable(assets: Map<string, IndexedAsset>, { chains, encrypted }: Scope): Map<string, IndexedAsset> {
  const isFindable = ({ chainId, metadata }: IndexedAsset) =>
    chains.includes(chainId) && isConsumable(metadata.state) && (encrypted || !metadata.encrypted)
  return new Map([...assets].filter(([, asset]) => isFindable(asset)))
}
