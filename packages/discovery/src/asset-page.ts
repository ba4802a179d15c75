import type { AssetService } from '@tidegate/protocol/asset'
import { bytesText } from '@tidegate/protocol/values'
import { beginning, document } from './document.js'
import { type Html, html, jsonLdBlock } from './html.js'
import { licenceOf } from './licence.js'
import { descriptionOf, type Listing, nameOf, soldFiles, timesOf } from './listing.js'
import { schemaOrg } from './schema-org.js'
import { sellerLine } from './seller.js'
import { FORMATS, feedUrl, formatUrl, MEDIA_TYPES, pageOf } from './site.js'

/** Files that a page names. The formats name all that are listed. */
const SHOWN = 100

/** Writes the page of an asset. Its description is shown as the publisher wrote it, without markup. */
export function assetPage(listing: Listing): string {
  const { asset, site } = listing
  const url = pageOf(site, asset.did)
  const title = nameOf(listing)
  return document({
    site,
    title: `${title} · ${site.name}`,
    description: beginning(descriptionOf(listing), 160),
    url,
    feed: feedUrl(url),
    hidden: asset.state !== 'active',
    head: html`${FORMATS.map(
      (format) =>
        html`<link rel="describedby" type="${MEDIA_TYPES[format]}" href="${formatUrl(site, asset.did, format)}">
`,
    )}${jsonLdBlock(schemaOrg(listing))}`,
    main: html`<h1>${title}</h1>
${asset.type && html`<p class="muted">${asset.type}</p>`}
<p>Sold by ${sellerLine(listing)}</p>
${asset.services.map((service, at) => offer(service, asset.services.length > 1 && `${service.name ?? `Service ${at + 1}`}: `))}
${site.console && html`<p><a class="button" href="${site.console}asset/${asset.did}">${actionOf(listing)}</a></p>`}
${
  asset.description &&
  html`<h2>Description</h2>
<p class="text">${asset.description}</p>`
}
${filesOf(listing)}
${linksOf(listing)}
<h2>Details</h2>
${details(listing)}
<h2>For programs</h2>
<ul class="tags">${FORMATS.map((format) => html`<li><a href="${formatUrl(site, asset.did, format)}">${NAMES[format]}</a></li>`)}</ul>`,
  })
}

const NAMES = { 'schema.org': 'schema.org', croissant: 'Croissant', dcat: 'DCAT' } as const

/** Says what a service costs. A quote shows the whole price with fees. */
export function priceText({ price }: AssetService): string {
  if (price.type === 'free') return 'Free'
  if (price.type !== 'fixed' || !price.datatoken) return 'Not for sale now'
  return `${price.datatoken.amount} ${price.datatoken.symbol}`
}

function offer(service: AssetService, name: string | false): Html {
  return html`<p class="price">${name}${priceText(service)}</p>`
}

function actionOf({ asset }: Listing): string {
  if (asset.buyers) return 'Only for invited buyers'
  return asset.services.some(({ price }) => price.type === 'fixed') ? 'Buy' : 'Get'
}

/** Shows the files, or only their number if nothing else is known. */
function filesOf(listing: Listing): Html | undefined {
  const files = soldFiles(listing)
  if (files.length === 0) return undefined
  const known = [...listing.files.values()].flat()
  const isSized = known.some(({ contentType, size }) => contentType !== undefined || size !== undefined)
  const many = html`<p class="muted">${files.length.toLocaleString('en')} ${files.length === 1 ? 'file' : 'files'}</p>`
  if (!isSized && known.every(({ name }) => name === undefined))
    return html`<h2>Files</h2>
${many}`
  const rows = files.slice(0, SHOWN).map(({ name, contentType, size }) => {
    const facts =
      isSized && html`<td>${contentType}</td><td class="number">${size === undefined ? '' : bytesText(size)}</td>`
    return html`<tr><td>${name}</td>${facts}</tr>
`
  })
  return html`<h2>Files</h2>
<div class="scroll"><table><thead><tr><th>Name</th>${isSized && html`<th>Type</th><th class="number">Size</th>`}</tr></thead><tbody>
${rows}</tbody></table></div>
${files.length > SHOWN && many}`
}

/** Shows samples, and the links of the publisher with their hosts. */
function linksOf({ asset, samples }: Listing): Html | undefined {
  const others = asset.links.filter(({ isHere }) => !isHere)
  const items = [
    ...samples.map(
      ({ url, name }) => html`<li>Sample: <a href="${url}">${name}</a></li>
`,
    ),
    ...others.map(
      ({ url, name, host }) => html`<li><a rel="nofollow noopener" href="${url}">${name}</a> (${host})</li>
`,
    ),
  ]
  return items.length === 0
    ? undefined
    : html`<h2>Look inside</h2>
<ul>${items}</ul>`
}

function details(listing: Listing): Html {
  const { asset, seller } = listing
  const licence = licenceOf(asset.license)
  const { created, updated } = timesOf(listing)
  const day = (time: string) => html`<time datetime="${time}">${time.slice(0, 10)}</time>`
  const rows: [string, Html | string | undefined | false][] = [
    ['Seller', seller.account],
    ['Author, as the seller writes it', seller.verified !== asset.author && asset.author],
    [
      'Licence',
      licence &&
        (licence.url ? html`<a rel="license nofollow" href="${licence.url}">${licence.name}</a>` : licence.name),
    ],
    [
      'Terms',
      asset.terms &&
        html`<a rel="nofollow noopener" href="${asset.terms.url}">${asset.terms.name}</a> (${asset.terms.host})`,
    ],
    ['Tags', asset.tags.length > 0 && html`<ul class="tags">${asset.tags.map((tag) => html`<li>${tag}</li>`)}</ul>`],
    ['Published', created && day(created)],
    ['Updated', updated && day(updated)],
    ['Orders', String(asset.orders)],
    ['Identifier', asset.did],
    ['Data NFT', `${asset.nft} on chain ${asset.chainId}`],
  ]
  return html`<dl>${rows.map(
    ([term, value]) =>
      value &&
      html`<dt>${term}</dt><dd>${value}</dd>
`,
  )}</dl>`
}
