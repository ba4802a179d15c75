import { licenceOf } from './licence.js'
import { descriptionOf, type Listing, nameOf, type PageFacts, type SoldFile, soldFiles, timesOf } from './listing.js'
import { publisherOf } from './seller.js'
import { catalogueUrl, pageOf, type Site } from './site.js'

const CONTEXT = {
  adms: 'http://www.w3.org/ns/adms#',
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  hydra: 'http://www.w3.org/ns/hydra/core#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  spdx: 'http://spdx.org/rdf/terms#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
} as const

/** Describes an asset as a dcat:Dataset of DCAT-AP 3, for data portals. */
export function dcat(listing: Listing): object {
  return { '@context': CONTEXT, ...dcatDataset(listing) }
}

function dcatDataset(listing: Listing): object {
  const { asset, site } = listing
  const page = pageOf(site, asset.did)
  const times = timesOf(listing)
  return {
    '@id': page,
    '@type': 'dcat:Dataset',
    'dct:identifier': asset.did,
    'dct:title': nameOf(listing),
    'dct:description': descriptionOf(listing),
    'dcat:landingPage': { '@id': page, '@type': 'foaf:Document' },
    'dct:publisher': publisherOf(listing),
    ...(asset.tags.length > 0 ? { 'dcat:keyword': asset.tags } : {}),
    ...(times.created ? { 'dct:issued': time(times.created) } : {}),
    ...(times.updated ? { 'dct:modified': time(times.updated) } : {}),
    'dcat:distribution': soldFiles(listing).map((file) => distribution(listing, file)),
    'adms:sample': listing.samples.map(({ url, ...file }, at) => ({
      ...distribution(listing, { ...file, id: `sample-${at}` }),
      'dcat:downloadURL': { '@id': url },
    })),
  }
}

function distribution({ asset, site }: Listing, { id, name, size, contentType, sha256 }: SoldFile): object {
  const page = pageOf(site, asset.did)
  const licence = licenceOf(asset.license)
  return {
    '@id': `${page}#${id}`,
    '@type': 'dcat:Distribution',
    'dct:title': name,
    'dcat:accessURL': { '@id': page, '@type': 'rdfs:Resource' },
    ...(licence ? { 'dct:license': licenceDocument(licence) } : {}),
    ...(size === undefined ? {} : { 'dcat:byteSize': { '@value': String(size), '@type': 'xsd:nonNegativeInteger' } }),
    ...(contentType ? { 'dcat:mediaType': mediaType(contentType) } : {}),
    ...(sha256 ? { 'spdx:checksum': checksum(sha256) } : {}),
  }
}

const time = (text: string) => ({ '@value': text, '@type': 'xsd:dateTime' })

function licenceDocument({ name, url }: { name: string; url?: string }): object {
  return { ...(url ? { '@id': url } : {}), '@type': 'dct:LicenseDocument', 'rdfs:label': name }
}

function mediaType(contentType: string): object {
  return { '@id': `https://www.iana.org/assignments/media-types/${contentType}`, '@type': 'dct:MediaType' }
}

function checksum(sha256: string): object {
  return {
    '@type': 'spdx:Checksum',
    'spdx:algorithm': { '@id': 'spdx:checksumAlgorithm_sha256', '@type': 'spdx:ChecksumAlgorithm' },
    'spdx:checksumValue': { '@value': sha256, '@type': 'xsd:hexBinary' },
  }
}

/**
 * Writes a page of the catalogue as a dcat:Catalog in JSON-LD, dataset by dataset. Hydra says where the next page is, in the
 * terms of its specification and in those that CKAN reads.
 */
export async function* dcatCatalogue(
  site: Site,
  { page, total, isAtLeast, hasNext }: PageFacts,
  listings: AsyncIterable<Listing>,
): AsyncGenerator<string> {
  const url = (at: number) => catalogueUrl(site, at, 'catalogue.jsonld')
  const view = {
    '@id': url(page),
    '@type': ['hydra:PagedCollection', 'hydra:PartialCollectionView'],
    ...(isAtLeast ? {} : { 'hydra:totalItems': total }),
    'hydra:first': { '@id': url(1) },
    ...(page > 1 ? { 'hydra:previous': { '@id': url(page - 1) } } : {}),
    ...(hasNext ? { 'hydra:next': { '@id': url(page + 1) } } : {}),
  }
  const catalogue = {
    '@id': `${site.base}/catalogue`,
    '@type': 'dcat:Catalog',
    'dct:title': site.name,
    'dct:description': `Datasets that ${site.name} sells and delivers.`,
    'dct:publisher': {
      '@type': 'foaf:Agent',
      'foaf:name': site.name,
      ...(site.url ? { 'foaf:homepage': { '@id': site.url } } : {}),
    },
    'foaf:homepage': { '@id': `${site.base}/catalogue`, '@type': 'foaf:Document' },
  }
  const context = JSON.stringify(CONTEXT)
  yield `{"@context":${context},"@graph":[${JSON.stringify(view)},${JSON.stringify(catalogue).slice(0, -1)},"dcat:dataset":[`
  let comma = ''
  for await (const listing of listings) {
    yield comma + JSON.stringify(dcatDataset(listing))
    comma = ','
  }
  yield ']}]}'
}
