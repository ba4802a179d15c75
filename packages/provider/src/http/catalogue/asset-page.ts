import { assetPage, FORMATS, formatUrl, MEDIA_TYPES, missingPage, withheldPage } from '@tidegate/discovery'
import { AccessError } from '@tidegate/protocol'
import type { Endpoint } from '../endpoints/endpoint.js'
import { Listings } from './listings.js'
import { DID, type DidRoute, ERRORS, ON, PUBLIC } from './parts.js'
import { sendMissing, sendPage } from './send.js'
import { siteOf } from './site.js'

/** The page of an asset, for people, search engines and previews. */
export const assetPageEndpoint: Endpoint = {
  ...PUBLIC,
  names: ['assetPage'],
  path: '/asset/:did',
  nonce: 'none',
  doc: {
    summary: 'Page of an asset',
    description: `HTML that works without script, with a description in schema.org inside. ${ON}`,
    path: { did: DID },
    responses: {
      200: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } },
      404: {
        description: 'The catalogue has no such asset.',
        content: { 'text/html': { schema: { type: 'string' } } },
      },
    },
    errors: [...ERRORS, 'TAKEN_DOWN'],
  },
  register(app, services) {
    const listings = new Listings(services)
    app.get<DidRoute>(this.path, async (request, reply) => {
      const site = siteOf(request, services.settings)
      const { did } = request.params
      const refusal = await services.access.withheld.assertShown(did).catch((error: unknown) => error)
      if (refusal instanceof AccessError) {
        request.refusal = { code: refusal.code, reason: refusal.message }
        return sendMissing(reply, withheldPage(site, refusal.message), 451)
      }
      if (refusal) throw refusal
      const caller = services.anonymous.searcher(request)
      const text = await listings.textOf(site, did, { kind: 'page', write: assetPage, caller })
      if (text === undefined) return sendMissing(reply, missingPage(site))
      const links = FORMATS.map((format) => {
        const type = MEDIA_TYPES[format].replaceAll('"', '\\"')
        return `<${formatUrl(site, did, format)}>; rel="describedby"; type="${type}"`
      })
      return sendPage(request, reply.header('link', links.join(', ')), text)
    })
  },
}
