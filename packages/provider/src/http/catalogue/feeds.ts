import { ATOM, assetFeed, catalogueFeed, type Listing, nothingSoldPage, sellerFeed } from '@tidegate/discovery'
import { AssetError } from '@tidegate/protocol'
import type { EndpointDoc } from '../endpoints/docs.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { Listings } from './listings.js'
import { DID, type DidRoute, ERRORS, ON, PUBLIC } from './parts.js'
import { accountOf, SELLER, type SellerRoute } from './seller-page.js'
import { sendDocument, sendMissing } from './send.js'
import { siteOf } from './site.js'

const FEED: EndpointDoc['responses'][200] = {
  description: 'The feed.',
  content: { 'application/atom+xml': { schema: { type: 'string' } } },
}

/** The feed of the newest assets. */
export const catalogueFeedEndpoint: Endpoint = {
  ...PUBLIC,
  names: ['catalogueFeed'],
  path: '/catalogue.atom',
  nonce: 'none',
  doc: {
    summary: 'Feed of the catalogue',
    description: `The newest 50 assets as an Atom feed (RFC 4287). ${ON}`,
    responses: { 200: FEED },
    errors: ERRORS,
  },
  register(app, services) {
    const listings = new Listings(services)
    app.get(this.path, async (request, reply) => {
      const site = siteOf(request, services.settings)
      const write = (all: Listing[]) => catalogueFeed(site, all)
      const { text } = await listings.list(site, { kind: 'atom', write }, services.anonymous.searcher(request))
      return sendDocument(request, reply.type(ATOM), await text())
    })
  },
}

/** The feed of a seller. */
export const sellerFeedEndpoint: Endpoint = {
  ...PUBLIC,
  names: ['sellerFeed'],
  path: '/seller/:address.atom',
  nonce: 'none',
  doc: {
    summary: 'Feed of a seller',
    description: `The newest 50 assets that an account has published, as an Atom feed (RFC 4287). ${ON}`,
    path: { address: SELLER },
    responses: { 200: FEED, 404: { description: 'The account sells nothing here.' } },
    errors: ERRORS,
  },
  register(app, services) {
    const listings = new Listings(services)
    app.get<SellerRoute>(this.path, async (request, reply) => {
      const site = siteOf(request, services.settings)
      const publisher = accountOf(request.params)
      const name = listings.verified.get(publisher) ?? publisher
      const write = (all: Listing[]) => sellerFeed(site, publisher, name, all)
      const asked = { kind: 'atom', publisher, write }
      const { total, text } = await listings.list(site, asked, services.anonymous.searcher(request))
      if (total === 0) return sendMissing(reply, nothingSoldPage(site, publisher))
      return sendDocument(request, reply.type(ATOM), await text())
    })
  },
}

/** The feed of an asset's versions. */
export const assetFeedEndpoint: Endpoint = {
  ...PUBLIC,
  names: ['assetFeed'],
  path: '/asset/:did.atom',
  nonce: 'none',
  doc: {
    summary: 'Feed of an asset',
    description: `The newest version of an asset as an Atom feed (RFC 4287). Each version is an entry with an id of its own. ${ON}`,
    path: { did: DID },
    responses: { 200: FEED },
    errors: [...ERRORS, 'ASSET_NOT_FOUND', 'TAKEN_DOWN'],
  },
  register(app, services) {
    const listings = new Listings(services)
    app.get<DidRoute>(this.path, async (request, reply) => {
      const site = siteOf(request, services.settings)
      const { did } = request.params
      await services.access.withheld.assertShown(did)
      const caller = services.anonymous.searcher(request)
      const text = await listings.textOf(site, did, { kind: 'atom', write: assetFeed, caller })
      if (text === undefined) throw new AssetError('ASSET_NOT_FOUND', `The catalogue has no asset ${did}.`)
      return sendDocument(request, reply.type(ATOM), text)
    })
  },
}
