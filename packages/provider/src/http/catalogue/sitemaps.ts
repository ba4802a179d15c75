import { robots, SITEMAP_URLS, sitemap, sitemapIndex } from '@tidegate/discovery'
import { RequestError } from '@tidegate/protocol'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { EndpointDoc } from '../endpoints/docs.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { described, text } from '../endpoints/params.js'
import { sendParts } from '../parts.js'
import { Listings } from './listings.js'
import { ERRORS, ON, PUBLIC } from './parts.js'
import { sendDocument } from './send.js'
import { siteOf } from './site.js'

const LIMITS = PROVIDER_LIMITS.catalogue

const xml = (description: string): EndpointDoc['responses'] => ({
  200: { description, content: { 'application/xml': { schema: { type: 'string' } } } },
})

/** The list of sitemaps. */
export const sitemapIndexEndpoint: Endpoint = {
  ...PUBLIC,
  names: [],
  path: '/sitemap.xml',
  nonce: 'none',
  doc: {
    operationId: 'getSitemapIndex',
    summary: 'Index of the sitemaps',
    description: `Names as many sitemaps of ${SITEMAP_URLS} assets as there are assets. ${ON}`,
    responses: xml('The index.'),
    errors: ERRORS,
  },
  register(app, services) {
    const listings = new Listings(services)
    app.get(this.path, async (request, reply) => {
      const site = siteOf(request, services.settings)
      const assets = await listings.count(services.anonymous.searcher(request))
      return sendDocument(request, reply.type('application/xml'), sitemapIndex(site, assets))
    })
  },
}

/** One sitemap. */
export const sitemapEndpoint: Endpoint = {
  ...PUBLIC,
  names: [],
  path: '/sitemap-:page.xml',
  nonce: 'none',
  doc: {
    operationId: 'getSitemap',
    summary: 'A sitemap',
    description: `The pages of up to ${SITEMAP_URLS} assets. ${ON}`,
    path: { page: described(text, 'Number of the sitemap, from 1.', '1') },
    responses: xml('The sitemap.'),
    errors: ERRORS,
  },
  register(app, services) {
    const { anonymous, settings } = services
    const listings = new Listings(services)
    app.get<{ Params: { page: string } }>(this.path, async (request, reply) => {
      const site = siteOf(request, settings)
      const page = /^[1-9]\d{0,3}$/.test(request.params.page) ? Number(request.params.page) : 0
      if (page === 0 || page > LIMITS.counted / SITEMAP_URLS)
        throw new RequestError('ROUTE_NOT_FOUND', 'There is no such sitemap.')
      anonymous.assertBytesLeft(request)
      const groups = listings.dids((page - 1) * SITEMAP_URLS, SITEMAP_URLS, anonymous.searcher(request))
      reply.headers({ 'cache-control': `public, max-age=${LIMITS.maxAge}` }).type('application/xml')
      return sendParts(reply, sitemap(site, groups), {
        whole: LIMITS.whole,
        stallTimeout: settings.CONSUMER_STALL_TIMEOUT,
        onSent: (bytes) => anonymous.spend(request, bytes),
      })
    })
  },
}

/** Tells crawlers what they may read. */
export const robotsEndpoint: Endpoint = {
  ...PUBLIC,
  names: [],
  path: '/robots.txt',
  nonce: 'none',
  doc: {
    operationId: 'getRobots',
    summary: 'Rules for crawlers',
    description: `Allows the catalogue, disallows the rest of the API, and names the sitemap. ${ON}`,
    responses: { 200: { description: 'The rules.', content: { 'text/plain': { schema: { type: 'string' } } } } },
    errors: ['ROUTE_NOT_FOUND'],
  },
  register(app, { settings }) {
    app.get(this.path, async (request, reply) =>
      sendDocument(request, reply.type('text/plain; charset=utf-8'), robots(siteOf(request, settings))),
    )
  },
}
