export { ASSET_LIMITS } from '../limits.js'
export { buyersOf, isList } from './buyers.js'
export { assetOf, describe, describedAsset, linkedBy } from './describe.js'
export { didOf } from './did-of.js'
export { fileOf, filesIn } from './files.js'
export { licenseDocumentsOf, linkName, linksOf, sha256In, type WebLink, webLink } from './links.js'
export { formatOf, releaseFacts, releaseOf } from './release.js'
export { type AssetQuery, searchBody, searchQuery } from './search-query.js'
export { type SearchResult, searchResult } from './search-result.js'
export { type Seller, sellerOf, type VerifiedPublishers, verifiedIn } from './sellers.js'
export {
  chosenService,
  readable,
  readServed,
  type Served,
  type ServedService,
  STATES,
  WrongDocumentError,
} from './served.js'
export { metadataOf, termsFields, termsOf } from './terms.js'
export { toldPrice } from './told-price.js'
export type {
  Amount,
  Asset,
  AssetFile,
  AssetLink,
  AssetService,
  AssetState,
  Buyers,
  LicenseDocument,
  Price,
  Release,
  Terms,
  TermsDocument,
} from './types.js'
