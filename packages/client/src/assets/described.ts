import type { Served } from '../chain/document.js'
import { metadataOf, termsOf } from '../terms/terms-of.js'
import type { Asset } from '../types.js'
import { defined, type Json } from '../values.js'
import { licenseDocumentsOf, linksOf } from './asset-links.js'
import { assetOf } from './describe.js'

export { bytesText } from '../text.js'
export { defined } from '../values.js'

/** Returns the terms, links and licence documents of a served document. `provider`: base URL of the provider. */
export function linkedBy(provider: string, { document }: Pick<Served, 'document'>) {
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
