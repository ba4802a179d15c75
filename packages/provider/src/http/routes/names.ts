import { CATALOG_LIMITS, type Hit, readSearch } from '@tidegate/catalog'
import { ValidationError } from '@tidegate/protocol'
import { json, named } from '../endpoints/docs.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { sendParts } from '../parts.js'
import { PREFIX } from './assets.js'
import { SEARCH_ERRORS, searcher } from './searcher.js'

const { body: BODY, page: PAGE, whole } = CATALOG_LIMITS.search

/** Where the name of an asset is, in each version of documents. */
const NAMES = ['metadata.name', 'credentialSubject.metadata.name']

interface Named {
  metadata?: { name?: unknown }
  credentialSubject?: Named
}

/** Returns the names of assets, which front ends list by DID. */
export const assetNames: Endpoint = {
  names: [],
  method: 'POST',
  path: `${PREFIX}/names`,
  nonce: 'none',
  anonymous: true,
  doc: {
    operationId: 'getAssetNames',
    summary: 'Names of assets',
    description: `The names of up to ${PAGE.most} assets by DID. Assets that a search does not find are left out.`,
    body: {
      contentType: 'application/json',
      schema: {
        type: 'object',
        required: ['didList'],
        properties: { didList: { type: 'array', items: { type: 'string' }, maxItems: PAGE.most } },
      },
      description: 'The DIDs of the assets.',
    },
    responses: {
      200: json('The names by DID.', named('AssetNames', { type: 'object', additionalProperties: { type: 'string' } })),
    },
    errors: SEARCH_ERRORS,
  },
  register(app, services) {
    const { anonymous, settings } = services
    // a name needs nothing from the chain
    const run = searcher(services, async () => ({}))
    app.post(this.path, { bodyLimit: Math.min(BODY, settings.MAX_BODY_SIZE) }, async (request, reply) => {
      const dids = didsIn(request.body)
      anonymous.assertBytesLeft(request)
      const query = { ids: { values: dids } }
      const search = readSearch({ query, size: dids.length, track_total_hits: false, _source: NAMES })
      const { hits } = await run({ search }, anonymous.searcher(request))
      reply.type('application/json; charset=utf-8')
      return sendParts(reply, namesIn(hits), {
        whole,
        stallTimeout: settings.CONSUMER_STALL_TIMEOUT,
        onSent: (bytes) => anonymous.spend(request, bytes),
      })
    })
  },
}

/** Yields the JSON of the names entry by entry: a name may be as long as a document. */
async function* namesIn(hits: AsyncIterable<Hit>): AsyncGenerator<string> {
  let separator = '{'
  for await (const { did, document } of hits) {
    const { metadata, credentialSubject }: Named = document === undefined ? {} : JSON.parse(document)
    const name = (credentialSubject?.metadata ?? metadata)?.name
    if (typeof name !== 'string') continue
    yield `${separator}${JSON.stringify(did)}:${JSON.stringify(name)}`
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}

function didsIn(body: unknown): string[] {
  const { didList } = (body ?? {}) as { didList?: unknown }
  const isList = Array.isArray(didList) && didList.every((did) => typeof did === 'string')
  if (!isList || didList.length > PAGE.most)
    throw ValidationError.of('didList', `The didList must be a list of at most ${PAGE.most} DIDs.`)
  return didList
}
