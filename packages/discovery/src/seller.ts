import { shortAddress } from '@tidegate/protocol/values'
import { type Html, html } from './html.js'
import type { Listing } from './listing.js'
import { type Site, sellerUrl } from './site.js'

type Sold = Pick<Listing, 'asset' | 'seller' | 'site'>

/** Returns the name that stands for the seller: the verified one, or the author's text unless it is that of somebody else. */
export function shownName({ asset, seller }: Sold): string {
  return seller.verified ?? (seller.imitates === undefined ? asset.author : '')
}

/** Shows who sells an asset: the account, with its verified name, or with the author's text, which proves nothing. */
export function sellerLine(listing: Sold): Html {
  const { asset, seller, site } = listing
  const { account, describedBy, verified, imitates } = seller
  const link = html`<a href="${sellerUrl(site, account)}" title="${account}">${verified ?? shortAddress(account)}</a>`
  return html`${
    verified === undefined
      ? html`${asset.author && html`<bdi class="author">${asset.author}</bdi> · `}${link}`
      : html`${link} ${verifiedMark(site)} · <span title="${account}">${shortAddress(account)}</span>`
  }${imitates !== undefined && html` ${warning(imitates)}`}${
    describedBy && html` · described by <span title="${describedBy}">${shortAddress(describedBy)}</span>`
  }`
}

/** Returns "verified by" with the operator. */
export function verifiedBy({ operator = 'the operator of this service' }: Site): string {
  return `verified by ${operator}`
}

/** The mark of a verified name. No text of a publisher can have it: those are escaped. */
export function verifiedMark(site: Site): Html {
  return html`<span class="verified">✓ ${verifiedBy(site)}</span>`
}

function warning(name: string): Html {
  return html`<strong class="unverified">Not verified: not from the verified publisher ${name}</strong>`
}

/** Returns the seller as an organization of schema.org: publishers do not say whether they are a person. */
export function creatorOf(listing: Sold): object {
  const { asset, seller, site } = listing
  const name = shownName(listing)
  return {
    '@type': 'Organization',
    name: name || seller.account,
    ...(asset.author && name !== asset.author ? { alternateName: asset.author } : {}),
    identifier: accountId(listing),
    url: sellerUrl(site, seller.account),
    ...(seller.verified === undefined ? {} : { description: `The name is ${verifiedBy(site)}.` }),
  }
}

/** Returns the seller as an agent of DCAT-AP. */
export function publisherOf(listing: Sold): object {
  const name = shownName(listing) || listing.seller.account
  return { '@type': 'foaf:Agent', 'foaf:name': name, 'dct:identifier': accountId(listing) }
}

/** Returns the identifier of an account on its chain, as CAIP-10 has it. */
function accountId({ asset, seller }: Sold): string {
  return `eip155:${asset.chainId}:${seller.account}`
}
