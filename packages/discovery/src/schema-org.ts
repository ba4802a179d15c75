import { beginning } from './document.js'
import { licenceOf } from './licence.js'
import { DISCOVERY_LIMITS } from './limits.js'
import { descriptionOf, type FileFacts, isFree, type Listing, nameOf, soldFiles, timesOf, tokenId } from './listing.js'
import { creatorOf } from './seller.js'
import { pageOf } from './site.js'

/**
 * Describes an asset as a schema.org Dataset, for search engines. Files have no contentUrl: who buys them gets them. The
 * price has no priceCurrency, since tokens have no ISO 4217 code.
 */
export function schemaOrg(listing: Listing): object {
  return { '@context': 'https://schema.org/', ...dataset(listing) }
}

/** Returns the Dataset without its context; Croissant builds on the same terms. */
export function dataset(listing: Listing): Record<string, unknown> {
  const { asset, site } = listing
  const url = pageOf(site, asset.did)
  const licence = licenceOf(asset.license)
  const times = timesOf(listing)
  return {
    '@type': 'Dataset',
    '@id': url,
    url,
    name: nameOf(listing),
    description: fitted(listing),
    identifier: asset.did,
    ...(licence ? { license: licence.url ?? { '@type': 'CreativeWork', name: licence.name } } : {}),
    creator: creatorOf(listing),
    ...(asset.tags.length > 0 ? { keywords: asset.tags } : {}),
    ...(times.created ? { datePublished: times.created } : {}),
    ...(times.updated ? { dateModified: times.updated } : {}),
    isAccessibleForFree: isFree(listing),
    includedInDataCatalog: { '@type': 'DataCatalog', name: site.name, url: `${site.base}/catalogue` },
    offers: offers(listing),
    distribution: [
      ...soldFiles(listing).map((file) => ({ '@type': 'DataDownload', name: file.name, ...facts(file) })),
      ...listing.samples.map(({ name, url, ...file }) => ({
        ...{ '@type': 'DataDownload', name, description: SAMPLE, contentUrl: url },
        ...facts(file),
      })),
    ],
  }
}

const DESCRIPTION = DISCOVERY_LIMITS.pages.description

/** Returns the description of an asset: a long one is cut, and a short one is followed by what the page says as well. */
function fitted(listing: Listing): string {
  const { asset, site } = listing
  const said = [
    descriptionOf(listing),
    ...(asset.description ? [nameOf(listing)] : []),
    ...soldFiles(listing)
      .slice(0, 1)
      .map(({ name }) => name),
    `Sold and delivered by ${site.name}.`,
    asset.did,
  ]
  const lengths = said.map((_, at) => [...said.slice(0, at + 1).join(' · ')].length)
  const parts = lengths.findIndex((length) => length >= DESCRIPTION.least) + 1
  const text = said.slice(0, parts).join(' · ')
  // a cut text ends with an ellipsis
  return text.length > DESCRIPTION.most ? beginning(text, DESCRIPTION.most - 1) : text
}

/** Describes a sample in the formats that tell files apart by words. */
export const SAMPLE = 'A sample that anybody may read.'

/** Returns what is known of a file in terms of schema.org. */
export function facts({ size, contentType, sha256 }: FileFacts): object {
  return {
    ...(contentType ? { encodingFormat: contentType } : {}),
    ...(size === undefined ? {} : { contentSize: `${size} B` }),
    ...(sha256 ? { sha256 } : {}),
  }
}

function offers({ asset, site }: Listing): object[] {
  return asset.services.flatMap(({ name, price }): object[] => {
    const offer = { '@type': 'Offer', url: pageOf(site, asset.did), ...(name ? { name } : {}) }
    if (price.type === 'free') return [{ ...offer, price: '0' }]
    if (price.type !== 'fixed' || !price.datatoken) return []
    const { amount, symbol, token } = price.datatoken
    const identifier = tokenId(asset.chainId, token)
    return [
      { ...offer, priceSpecification: { '@type': 'PriceSpecification', price: amount, name: symbol, identifier } },
    ]
  })
}
