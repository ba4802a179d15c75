import { priceText } from './asset-page.js'
import { beginning } from './document.js'
import { type Html, html, xmlText } from './html.js'
import { DISCOVERY_LIMITS } from './limits.js'
import { descriptionOf, type Listing, nameOf, soldFiles, timesOf } from './listing.js'
import { shownName } from './seller.js'
import { catalogueUrl, feedUrl, pageOf, type Site, sellerUrl } from './site.js'

const { text: TEXT, tag: TAG, tags: TAGS, files: FILES, prices: PRICES } = DISCOVERY_LIMITS.feeds

/** Media type of feeds. */
export const ATOM = 'application/atom+xml; charset=utf-8'

/** Time of a feed without entries, which RFC 4287 demands. */
const NEVER = '1970-01-01T00:00:00Z'

/** Writes the feed of the newest assets of the catalogue (RFC 4287). */
export function catalogueFeed(site: Site, listings: readonly Listing[]): string {
  const page = catalogueUrl(site, 1, 'catalogue')
  return feed(site, { id: page, title: site.name, page, self: feedUrl(page) }, listings.map(assetEntry))
}

/** Writes the feed of the newest assets of a seller. `name`: the verified one, or the account. */
export function sellerFeed(site: Site, account: string, name: string, listings: readonly Listing[]): string {
  const page = sellerUrl(site, account)
  return feed(site, { id: page, title: `${name} · ${site.name}`, page, self: feedUrl(page) }, listings.map(assetEntry))
}

/** Writes the feed of an asset. Each version has an id of its own, so that readers show it as new. */
export function assetFeed(listing: Listing): string {
  const { asset, site, newest } = listing
  const page = pageOf(site, asset.did)
  const named = soldFiles(listing)
    .slice(0, FILES)
    .map(({ name }) => name)
  const version = entry(listing, {
    id: newest ? `${asset.did}#${newest.tx}` : asset.did,
    title: `${nameOf(listing)}${newest ? `, version of ${newest.time.slice(0, 10)}` : ''}`,
    lines: named.length > 0 ? [`Files: ${named.join(', ')}`] : [],
  })
  return feed(site, { id: `${asset.did}#versions`, title: nameOf(listing), page, self: feedUrl(page) }, [version])
}

interface Entry {
  updated: string
  xml: Html
}

const assetEntry = (listing: Listing): Entry =>
  entry(listing, { id: listing.asset.did, title: nameOf(listing), lines: [] })

function entry(listing: Listing, { id, title, lines }: { id: string; title: string; lines: string[] }): Entry {
  const { asset, site, newest } = listing
  const { created } = timesOf(listing)
  const updated = newest?.time ?? created ?? NEVER
  const prices = asset.services.slice(0, PRICES).map((service) => priceText(service))
  const price = prices.length > 0 ? [`Price: ${prices.join(', ')}`] : []
  const text = [beginning(descriptionOf(listing), TEXT), ...price, ...lines].join('\n')
  return {
    updated,
    xml: html`<entry>
<id>${id}</id>
<title>${title}</title>
<updated>${updated}</updated>
${created !== undefined && html`<published>${created}</published>`}
<author><name>${authorOf(listing)}</name><uri>${sellerUrl(site, asset.owner)}</uri></author>
<link rel="alternate" type="text/html" href="${pageOf(site, asset.did)}"/>
${asset.tags.slice(0, TAGS).map((tag) => html`<category term="${tag.slice(0, TAG)}"/>`)}
<content type="text">${text}</content>
</entry>
`,
  }
}

/** Returns the verified name, or the account with the author's text. */
function authorOf(listing: Listing): string {
  const { account, verified } = listing.seller
  const name = shownName(listing)
  return verified ?? (name ? `${name} (${account})` : account)
}

interface Feed {
  id: string
  title: string
  /** URL of the page with the same content. */
  page: string
  self: string
}

function feed(site: Site, { id, title, page, self }: Feed, entries: readonly Entry[]): string {
  const updated = entries.reduce((newest, one) => (one.updated > newest ? one.updated : newest), NEVER)
  return xmlText(html`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${id}</id>
<title>${title}</title>
<updated>${updated}</updated>
<author><name>${site.name}</name></author>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="alternate" type="text/html" href="${page}"/>
${entries.map((one) => one.xml)}</feed>
`)
}
