import { croissant, dcat, FORMATS, type Format, type Listing, MEDIA_TYPES, schemaOrg } from '@tidegate/discovery'
import { AssetError } from '@tidegate/protocol'
import * as z from 'zod'
import { varyBy } from '../console/accept.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { described, readParams, text } from '../endpoints/params.js'
import { Listings } from './listings.js'
import { DID, type DidRoute, ERRORS, ON, PUBLIC } from './parts.js'
import { sendDocument } from './send.js'
import { siteOf } from './site.js'

const WRITERS: Record<Format, (listing: Listing) => object> = { 'schema.org': schemaOrg, croissant, dcat }

const params = {
  format: described(
    text.refine((format) => FORMATS.includes(format as Format), `must be one of ${FORMATS.join(', ')}`),
    `The format: ${FORMATS.join(', ')}. Default: by the profile in Accept, otherwise schema.org.`,
    'croissant',
  ).optional(),
}

/** The description of an asset in a standard vocabulary. */
export const assetDescriptionEndpoint: Endpoint = {
  ...PUBLIC,
  names: ['assetDescription'],
  path: '/api/catalogue/:did',
  nonce: 'none',
  doc: {
    summary: 'Description of an asset',
    description: `JSON-LD as schema.org Dataset, Croissant 1.1 or dcat:Dataset of DCAT-AP 3. ${ON}`,
    path: { did: DID },
    params,
    headers: { Accept: 'application/ld+json, with a profile for Croissant or DCAT.' },
    responses: {
      200: {
        description: 'The description.',
        content: { 'application/ld+json': { schema: { type: 'object', additionalProperties: true } } },
      },
    },
    errors: [...ERRORS, 'ASSET_NOT_FOUND', 'TAKEN_DOWN'],
  },
  register(app, services) {
    const listings = new Listings(services)
    const schema = z.object(params)
    app.get<DidRoute>(this.path, async (request, reply) => {
      const site = siteOf(request, services.settings)
      const format = (readParams(schema, request).format as Format | undefined) ?? formatOf(request.headers.accept)
      const { did } = request.params
      await services.access.withheld.assertShown(did)
      const caller = services.anonymous.searcher(request)
      const write = (listing: Listing) => JSON.stringify(WRITERS[format](listing))
      const text = await listings.textOf(site, did, { kind: format, write, caller })
      if (text === undefined) throw new AssetError('ASSET_NOT_FOUND', `The catalogue has no asset ${did}.`)
      varyBy(reply, 'Accept')
      return sendDocument(request, reply.type(MEDIA_TYPES[format]), text)
    })
  },
}

/** Returns the format whose profile an Accept header names. */
function formatOf(accept = ''): Format {
  if (accept.includes('mlcommons.org/croissant')) return 'croissant'
  return accept.includes('www.w3.org/ns/dcat') ? 'dcat' : 'schema.org'
}
