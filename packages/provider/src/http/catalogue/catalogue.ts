import { cataloguePage, type Listing, type PageFacts } from '@tidegate/discovery'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { described, readParams, whole } from '../endpoints/params.js'
import { sendParts } from '../parts.js'
import { Listings } from './listings.js'
import { ERRORS, ON, PUBLIC } from './parts.js'
import { sendPage } from './send.js'
import { siteOf } from './site.js'

const { pages: MOST, maxAge } = PROVIDER_LIMITS.catalogue

/** The number of a page. */
export const PAGE = {
  page: described(
    whole.refine((page) => page >= 1 && page <= MOST, `must be from 1 to ${MOST}`),
    'Number of the page, from 1.',
    1,
  ).optional(),
}
const schema = z.object(PAGE)

export const pageOf = (request: FastifyRequest): number => readParams(schema, request).page ?? 1

/** The catalogue for people and crawlers. */
export const cataloguePageEndpoint: Endpoint = {
  ...PUBLIC,
  names: ['catalogue'],
  path: '/catalogue',
  nonce: 'none',
  doc: {
    summary: 'Catalogue',
    description: `A page of the newest assets as HTML. ${ON}`,
    params: PAGE,
    responses: { 200: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } } },
    errors: ERRORS,
  },
  register(app, services) {
    const listings = new Listings(services)
    app.get(this.path, async (request, reply) => {
      const site = siteOf(request, services.settings)
      const caller = services.anonymous.searcher(request)
      const write = (all: Listing[], facts: PageFacts) => cataloguePage(site, facts, all)
      const list = await listings.list(site, { kind: 'html', page: pageOf(request), write }, caller)
      return sendPage(request, reply, await list.text())
    })
  },
}

/** The catalogue for data portals. */
export const dcatCatalogueEndpoint: Endpoint = {
  ...PUBLIC,
  names: ['catalogueDcat'],
  path: '/catalogue.jsonld',
  nonce: 'none',
  doc: {
    summary: 'Catalogue as DCAT',
    description: `A page of the newest assets as dcat:Catalog of DCAT-AP 3, in JSON-LD. hydra:next is the next page. ${ON}`,
    params: PAGE,
    responses: {
      200: {
        description: 'The page.',
        content: { 'application/ld+json': { schema: { type: 'object', additionalProperties: true } } },
      },
    },
    errors: ERRORS,
  },
  register(app, services) {
    const { anonymous, settings } = services
    const listings = new Listings(services)
    app.get(this.path, async (request, reply) => {
      const site = siteOf(request, settings)
      anonymous.assertBytesLeft(request)
      const parts = await listings.pageParts(site, pageOf(request), anonymous.searcher(request))
      reply.headers({ 'cache-control': `public, max-age=${maxAge}` }).type('application/ld+json')
      return sendParts(reply, parts, {
        whole: PROVIDER_LIMITS.catalogue.whole,
        stallTimeout: settings.CONSUMER_STALL_TIMEOUT,
        onSent: (bytes) => anonymous.spend(request, bytes),
      })
    })
  },
}
