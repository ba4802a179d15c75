import { type FileFacts, type Listing, type Sample, soldFiles, tokenId } from './listing.js'
import { dataset, facts, SAMPLE } from './schema-org.js'
import { pageOf } from './site.js'

/** The context of Croissant 1.1 (appendix 1 of its specification). Its readers need a language; publishers tell none. */
const CONTEXT = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  sc: 'https://schema.org/',
  cr: 'http://mlcommons.org/croissant/',
  rai: 'http://mlcommons.org/croissant/RAI/',
  dct: 'http://purl.org/dc/terms/',
  odrl: 'http://www.w3.org/ns/odrl/2/',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  ...Object.fromEntries(
    [
      ...['annotation', 'arrayShape', 'citeAs', 'column', 'containedIn', 'equivalentProperty', 'extract', 'field'],
      ...['fileObject', 'fileProperty', 'fileSet', 'format', 'includes', 'isArray', 'isLiveDataset', 'jsonPath', 'key'],
      ...['md5', 'parentField', 'path', 'readLines', 'recordSet', 'references', 'regex', 'repeated', 'replace'],
      ...['samplingRate', 'sdVersion', 'separator', 'source', 'subField', 'transform', 'unArchive'],
    ].map((term) => [term, `cr:${term}`]),
  ),
  conformsTo: 'dct:conformsTo',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  examples: { '@id': 'cr:examples', '@type': '@json' },
} as const

/**
 * Describes an asset in Croissant 1.1, for machine learning. The contentUrl of a sold file is the asset's page, which says
 * how to get it; that of a sample is the file.
 */
export function croissant(listing: Listing): object {
  const { asset, site } = listing
  const { '@id': _id, distribution: _files, isAccessibleForFree, ...described } = dataset(listing)
  const page = pageOf(site, asset.did)
  const files = soldFiles(listing)
  return {
    '@context': CONTEXT,
    ...described,
    '@type': 'sc:Dataset',
    conformsTo: 'http://mlcommons.org/croissant/1.1',
    isAccessibleForFree,
    usageInfo: usage(listing),
    // a file without a known hash may change any time
    ...(files.every(({ sha256 }) => sha256) ? {} : { isLiveDataset: true }),
    distribution: [
      ...files.map(({ id, name, ...file }) => fileObject(id, name, page, file)),
      ...listing.samples.map(({ name, url, ...file }, at) => fileObject(`sample-${at}`, name, url, file)),
    ],
    recordSet: listing.samples.flatMap((sample, at) => (isText(sample) ? [contentOf(at, sample)] : [])),
  }
}

function fileObject(id: string, name: string, contentUrl: string, file: FileFacts): object {
  return {
    '@type': 'cr:FileObject',
    '@id': id,
    name,
    contentUrl,
    encodingFormat: 'application/octet-stream',
    ...facts(file),
  }
}

const isText = ({ contentType = '' }: Sample) => /^text\/|json/.test(contentType)

/** Returns a record set with the text of a sample, so that readers of the format load it. Its columns are not known. */
function contentOf(at: number, { name }: Sample): object {
  const id = `sample-${at}-text`
  const source = { fileObject: { '@id': `sample-${at}` }, extract: { fileProperty: 'content' } }
  const field = { '@type': 'cr:Field', '@id': `${id}/content`, name: 'content', dataType: 'sc:Text', source }
  return { '@type': 'cr:RecordSet', '@id': id, name: `Text of ${name}`, description: SAMPLE, field: [field] }
}

/** Says on what conditions the files may be used: ODRL's duty to compensate, with amount and token, for each paid service. */
function usage({ asset, site }: Listing): object {
  const url = pageOf(site, asset.did)
  return {
    '@type': ['CreativeWork', 'odrl:Offer'],
    name: 'How to get these files',
    url,
    'odrl:permission': asset.services.map(({ price }) => {
      const permission = {
        '@type': 'odrl:Permission',
        'odrl:action': { '@id': 'odrl:use' },
        'odrl:target': { '@id': url },
      }
      if (!price.datatoken) return permission
      const { amount, token } = price.datatoken
      const refinement = {
        '@type': 'odrl:Constraint',
        'odrl:leftOperand': { '@id': 'odrl:payAmount' },
        'odrl:operator': { '@id': 'odrl:eq' },
        'odrl:rightOperand': { '@value': amount, '@type': 'xsd:decimal' },
        'odrl:unit': { '@id': tokenId(asset.chainId, token) },
      }
      const action = { 'rdf:value': { '@id': 'odrl:compensate' }, 'odrl:refinement': refinement }
      return { ...permission, 'odrl:duty': { '@type': 'odrl:Duty', 'odrl:action': action } }
    }),
  }
}
