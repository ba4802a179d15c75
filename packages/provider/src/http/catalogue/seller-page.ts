import { type Listing, nothingSoldPage, type PageFacts, sellerPage } from '@tidegate/discovery'
import { checksummed, isAddressText, RequestError } from '@tidegate/protocol'
import { defined } from '@tidegate/protocol/values'
import type { Address } from 'viem'
import type { Endpoint } from '../endpoints/endpoint.js'
import { described, text } from '../endpoints/params.js'
import { PAGE, pageOf } from './catalogue.js'
import { Listings } from './listings.js'
import { ERRORS, ON, PUBLIC } from './parts.js'
import { sendMissing, sendPage } from './send.js'
import { siteOf } from './site.js'

/** The account in a path. */
export const SELLER = described(text, 'Account of the seller.', '0x0000000000000000000000000000000000000000')

const HTML = { 'text/html': { schema: { type: 'string' } } } as const

/** The assets of a seller, for people and crawlers. */
export const sellerPageEndpoint: Endpoint = {
  ...PUBLIC,
  names: ['sellerPage'],
  path: '/seller/:address',
  nonce: 'none',
  doc: {
    summary: 'Page of a seller',
    description: `The assets that an account has published, the newest first, as HTML. ${ON}`,
    path: { address: SELLER },
    params: PAGE,
    responses: {
      200: { description: 'The page.', content: HTML },
      404: { description: 'The account sells nothing here.', content: HTML },
    },
    errors: ERRORS,
  },
  register(app, services) {
    const listings = new Listings(services)
    app.get<SellerRoute>(this.path, async (request, reply) => {
      const site = siteOf(request, services.settings)
      const account = accountOf(request.params)
      const seller = { account, ...defined({ verified: listings.verified.get(account) }) }
      const write = (all: Listing[], facts: PageFacts) => sellerPage(site, seller, facts, all)
      const asked = { kind: 'seller', page: pageOf(request), publisher: account, write }
      const list = await listings.list(site, asked, services.anonymous.searcher(request))
      if (list.total === 0) return sendMissing(reply, nothingSoldPage(site, account))
      return sendPage(request, reply, await list.text())
    })
  },
}

export interface SellerRoute {
  Params: { address: string }
}

/** Returns the account of a path. Throws RequestError if it is no address. */
export function accountOf({ address }: SellerRoute['Params']): Address {
  if (!isAddressText(address))
    throw new RequestError('ROUTE_NOT_FOUND', 'A seller is named by an address: 0x and 40 hex digits.')
  return checksummed(address)
}
