import { zeroAddress } from 'viem'
import {
  addressIn,
  countIn,
  dateIn,
  defined,
  fieldsOf,
  type Json,
  lineOf,
  listOf,
  plainText,
  textOf,
} from '../values/fields.js'
import { buyersOf } from './buyers.js'
import { licenseDocumentsOf, linksOf } from './links.js'
import { releaseOf } from './release.js'
import { readable, type Served } from './served.js'
import { metadataOf, termsOf } from './terms.js'
import { toldPrice } from './told-price.js'
import type { Asset } from './types.js'

/** Most tags of an asset that are shown. */
const TAGS = 100

/** Describes an asset from its served document, without its files and links. */
export function describe({ did, chainId, nft, state, document, services }: Served): Asset {
  const own = { ...document, ...fieldsOf(document.credentialSubject) } as Record<string, unknown>
  const metadata = fieldsOf(own.metadata)
  const indexed = fieldsOf(document.indexedMetadata)
  const facts = { ...fieldsOf(indexed.nft), ...fieldsOf(document.nft) }
  const { from } = fieldsOf(document.event ?? indexed.event)
  const orders = listOf(indexed.stats, 100).map((stats) => countIn(fieldsOf(stats).orders))
  const declared = listOf(own.services, 1000).map(fieldsOf)
  const license = fieldsOf(metadata.license)
  return {
    did,
    chainId,
    nft,
    owner: addressIn(facts.owner) ?? zeroAddress,
    // a hidden state leaves only the name of the data NFT
    name: lineOf(own.metadata === undefined ? facts.name : metadata.name),
    description: textOf(metadata.description),
    author: lineOf(metadata.author),
    license: lineOf(license.name ?? metadata.license),
    links: [],
    licenseDocuments: [],
    tags: listOf(metadata.tags, TAGS).map(lineOf).filter(Boolean),
    type: lineOf(metadata.type),
    state,
    ...defined({
      publisher: addressIn(from),
      blocked: blockedBy(document.purgatory ?? indexed.purgatory),
      buyers: buyersOf(own.credentials, chainId),
      created: dateIn(facts.created ?? metadata.created),
      updated: dateIn(metadata.updated),
    }),
    orders: orders.reduce((sum, count) => sum + count, 0),
    services: services.map(({ id, index, type, datatoken, timeout }) => ({
      id,
      ...defined({
        name: lineOf(declared[index]?.name) || undefined,
        buyers: buyersOf(declared[index]?.credentials, chainId),
        // as the provider names it
        filesVersion: plainText(declared[index]?.files).slice(-64) || undefined,
        release: releaseOf(declared[index] ?? {}),
      }),
      type,
      datatoken,
      timeout,
      price: toldPrice(document, datatoken),
      files: [],
    })),
  }
}

/** Returns the reason of an entry of a purgatory list; undefined if there is none. */
function blockedBy(purgatory: unknown): string | undefined {
  const { state, reason } = fieldsOf(purgatory)
  return state === true ? lineOf(reason) : undefined
}

/** Returns an asset, or nothing if the document is not that of its DID. */
export function assetOf(document: Json): Asset[] {
  const served = readable(document)
  return served ? [describe(served)] : []
}

/** Returns the terms, links and licence documents of a served document. `provider`: base URL of the provider. */
export function linkedBy(
  provider: string,
  { document }: Pick<Served, 'document'>,
): Pick<Asset, 'terms' | 'links' | 'licenseDocuments'> {
  const metadata = metadataOf(document)
  return {
    ...defined({ terms: termsOf(provider, document) }),
    links: linksOf(provider, metadata.links),
    licenseDocuments: licenseDocumentsOf(provider, metadata),
  }
}

/** Describes an asset by its served document alone, without files. Undefined if the document is not that of its DID. */
export function describedAsset(provider: string, document: Json): Asset | undefined {
  const [asset] = assetOf(document)
  return asset && { ...asset, ...linkedBy(provider, { document }) }
}
