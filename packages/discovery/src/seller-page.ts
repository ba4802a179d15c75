import type { Seller } from '@tidegate/protocol/asset'
import { shortAddress } from '@tidegate/protocol/values'
import { listedAsset, pagesNav } from './catalogue-page.js'
import { document } from './document.js'
import { html } from './html.js'
import type { Listing, PageFacts } from './listing.js'
import { verifiedBy, verifiedMark } from './seller.js'
import { feedUrl, type Site, sellerUrl } from './site.js'

/** Writes a page of the assets of a seller, the newest first. */
export function sellerPage(
  site: Site,
  { account, verified }: Pick<Seller, 'account' | 'verified'>,
  facts: PageFacts,
  listings: readonly Listing[],
): string {
  const { page, total, isAtLeast } = facts
  const name = verified ?? shortAddress(account)
  const url = (at: number) => sellerUrl(site, account, at)
  return document({
    site,
    title: `${name}${page === 1 ? '' : `, page ${page}`} · ${site.name}`,
    description: `Datasets of ${verified === undefined ? account : `${name}, ${verifiedBy(site)}`}.`,
    url: url(page),
    feed: feedUrl(url(1)),
    main: html`<h1>${name}</h1>
<p class="muted">${verified === undefined ? 'Not verified: an account is all that is known of this seller.' : verifiedMark(site)}</p>
<p class="account">${account}</p>
<p class="muted">${isAtLeast && 'More than '}${total.toLocaleString('en')} ${total === 1 ? 'asset' : 'assets'}</p>
${site.console && html`<p><a class="button" href="${site.console}seller/${account}">Show in the console</a></p>`}
<ol class="assets">
${listings.map(listedAsset)}</ol>
${pagesNav(facts, url)}`,
  })
}

/** Writes the page of an account without assets in the catalogue. */
export function nothingSoldPage(site: Site, account: string): string {
  return document({
    site,
    title: `Nothing here · ${site.name}`,
    hidden: true,
    main: html`<h1>This account sells nothing here</h1>
<p class="account">${account}</p>
<p>The catalogue has no asset of it. <a href="${site.base}/catalogue">See all assets.</a></p>`,
  })
}
