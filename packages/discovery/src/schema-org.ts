import { licenceOf } from './licence.js'
import { descriptionOf, type FileFacts, isFree, type Listing, nameOf, soldFiles, timesOf, tokenId } from './listing.js'
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
    description: descriptionOf(listing),
    identifier: asset.did,
    ...(licence ? { license: licence.url ?? { '@type': 'CreativeWork', name: licence.name } } : {}),
    // publishers do not say whether they are a person; an organization may be one
    ...(asset.author ? { creator: { '@type': 'Organization', name: asset.author } } : {}),
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
