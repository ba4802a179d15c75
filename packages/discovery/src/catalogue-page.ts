import { priceText } from './asset-page.js'
import { beginning, document } from './document.js'
import { type Html, html } from './html.js'
import { type Listing, nameOf, type PageFacts } from './listing.js'
import { sellerLine } from './seller.js'
import { catalogueUrl, feedUrl, pageOf, type Site } from './site.js'

/** Writes a page of the catalogue for people and crawlers: the assets, the newest first. */
export function cataloguePage(site: Site, facts: PageFacts, listings: readonly Listing[]): string {
  const { page, total, isAtLeast } = facts
  const title = page === 1 ? site.name : `${site.name}, page ${page}`
  const url = (at: number) => catalogueUrl(site, at, 'catalogue')
  return document({
    site,
    title,
    description: `Datasets that ${site.name} sells and delivers.`,
    url: url(page),
    feed: feedUrl(url(1)),
    head: html`<link rel="describedby" type="application/ld+json" href="${catalogueUrl(site, page, 'catalogue.jsonld')}">`,
    main: html`<h1>${title}</h1>
<p class="muted">${isAtLeast && 'More than '}${total.toLocaleString('en')} ${total === 1 ? 'asset' : 'assets'}</p>
<ol class="assets">
${listings.map(listedAsset)}</ol>
${pagesNav(facts, url)}`,
  })
}

/** Shows an asset in a list, with its seller. */
export function listedAsset(listing: Listing): Html {
  const { asset, site } = listing
  return html`<li><h2><a href="${pageOf(site, asset.did)}">${nameOf(listing)}</a></h2>
<p class="muted">${sellerLine(listing)}${asset.services.slice(0, 1).map((service) => ` · ${priceText(service)}`)}</p>
<p>${beginning(asset.description, 240)}</p></li>
`
}

/** Links to the pages before and after. */
export function pagesNav({ page, hasNext }: PageFacts, url: (page: number) => string): Html {
  return html`<nav class="pages">${page > 1 ? html`<a rel="prev" href="${url(page - 1)}">Newer</a>` : html`<span></span>`}${
    hasNext && html`<a rel="next" href="${url(page + 1)}">Older</a>`
  }</nav>`
}

/** Writes the page for an asset that the operator has taken down. */
export function withheldPage(site: Site, reason: string): string {
  return document({
    site,
    title: `Not available · ${site.name}`,
    hidden: true,
    main: html`<h1>Not available for legal reasons</h1>
<p>${reason}</p>
<p><a href="${site.base}/catalogue">See all assets.</a></p>`,
  })
}

/** Writes the page for a DID that the catalogue does not tell of, whatever the reason. */
export function missingPage(site: Site): string {
  return document({
    site,
    title: `No such asset · ${site.name}`,
    hidden: true,
    main: html`<h1>No such asset</h1>
<p>This catalogue has no asset of this name. It may have been withdrawn. <a href="${site.base}/catalogue">See all assets.</a></p>`,
  })
}
