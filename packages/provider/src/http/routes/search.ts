import { CATALOG_LIMITS, readFrontEndSearch, readSearch } from '@tidegate/catalog'
import type { FastifyInstance } from 'fastify'
import { type EndpointDoc, json } from '../endpoints/docs.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { DOCUMENTS, SEARCH, SEARCH_ANSWER } from '../endpoints/schemas/search.js'
import type { SearchCaller } from '../limits/anonymous.js'
import { sendParts } from '../parts.js'
import { PREFIX } from './assets.js'
import { type Answered, type Asked, orderSearcher, SEARCH_ERRORS, type SearchServices, searcher } from './searcher.js'

const QUERY: EndpointDoc['body'] = {
  contentType: 'application/json',
  schema: SEARCH,
  description: 'A search in the query language of Ocean metadata caches: the part that docs/search.md lists.',
}
const DESCRIPTION =
  'Finds active and unlisted assets by what their documents say. A construct that is not understood is refused by its name. Of a chain whose index is not up to date nothing is found; _shards tells of how many.'

/** Searches assets, and returns hits with scores. */
export const searchAssets: Endpoint = {
  names: [],
  method: 'POST',
  path: `${PREFIX}/query`,
  nonce: 'none',
  anonymous: true,
  doc: {
    operationId: 'searchAssets',
    summary: 'Search assets',
    description: DESCRIPTION,
    body: QUERY,
    responses: { 200: json('The hits of the page, with scores.', SEARCH_ANSWER) },
    errors: SEARCH_ERRORS,
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

/** Searches assets, and returns their documents without scores. */
export const searchMetadata: Endpoint = {
  names: [],
  method: 'POST',
  path: `${PREFIX}/metadata/query`,
  nonce: 'none',
  anonymous: true,
  doc: {
    operationId: 'searchDocuments',
    summary: 'Search assets, documents alone',
    description: `${DESCRIPTION} The answer is the list of their documents. With index, the answer has the form that front ends of Ocean Node read; the index order is that of orders.`,
    body: QUERY,
    responses: { 200: json('The documents of the page.', DOCUMENTS) },
    errors: SEARCH_ERRORS,
  },
  register(app, services) {
    const orders = orderSearcher(services)
    const read = (body: unknown): Asked => {
      const { search, ...form }: Asked = readFrontEndSearch(body) ?? { search: readSearch(body) }
      // the answer has documents alone, and how many there are only in the form of version 5
      const countUpTo = form.version === 5 ? search.countUpTo : undefined
      return { ...form, search: { ...search, countUpTo, aggregations: {} } }
    }
    const answer = async function* ({ found, hits, version }: Answered): AsyncGenerator<string> {
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
    }
    searchRoute(app, this.path, services, read, answer, orders)
  },
}

/** Serializes an object as JSON with a further entry of JSON text. */
function written(entries: object, more: string | undefined): string {
  const text = JSON.stringify(entries)
  return more === undefined ? text : `${text.slice(0, -1)},${more}}`
}

/** Registers a search. `other` answers requests that are no search of documents. */
function searchRoute(
  app: FastifyInstance,
  path: string,
  services: SearchServices,
  read: (body: unknown) => Asked,
  answer: (answered: Answered) => AsyncGenerator<string>,
  other: (body: unknown, caller: SearchCaller) => Promise<AsyncGenerator<string>> | undefined = () => undefined,
): void {
  const { settings, anonymous } = services
  const bodyLimit = Math.min(CATALOG_LIMITS.search.body, settings.MAX_BODY_SIZE)
  const run = searcher(services)
  const documents = async (asked: Asked, caller: SearchCaller, begun: number) =>
    answer({ ...(await run(asked, caller)), took: Math.round(performance.now() - begun) })
  app.post(path, { bodyLimit }, async (request, reply) => {
    const begun = performance.now()
    anonymous.assertBytesLeft(request)
    const caller = anonymous.searcher(request)
    const parts = await (other(request.body, caller) ?? documents(read(request.body), caller, begun))
    reply.type('application/json; charset=utf-8')
    return sendParts(reply, parts, {
      whole: CATALOG_LIMITS.search.whole,
      stallTimeout: settings.CONSUMER_STALL_TIMEOUT,
      onSent: (bytes) => anonymous.spend(request, bytes),
    })
  })
}
