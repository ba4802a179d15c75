export { checksummed, isAddressText } from './crypto/address.js'
export { keccak } from './crypto/keccak.js'
export type { AccessListEntry, CredentialEntry, Credentials, Match } from './ddo/credentials.js'
export type { Ddo, Service } from './ddo/ddo.js'
export {
  charactersOf,
  type IndexedAsset,
  type IndexedDatatoken,
  type IndexedMetadata,
  type IndexedNft,
  LASTING_REASONS,
} from './ddo/indexed.js'
export { isoTime, secondsOf } from './ddo/iso-time.js'
export type { Offer, OnChainData, Price, TokenName } from './ddo/on-chain/on-chain-data.js'
export { opened, type SoldAsset, soldDatatokens } from './ddo/opened.js'
export { readable } from './ddo/readable.js'
export { assetDocument, assetDocumentText, ordersOf, publishedMetadata } from './ddo/served-document.js'
export { shortenedDocument, shortenedText } from './ddo/shortened.js'
export { assertConsumable, assertReadable, isConsumable } from './ddo/states.js'
export { readServices } from './ddo/stored-services.js'
export { didHash, didsWith, isDid } from './did.js'
export { ERROR_CATALOGUE, type ErrorCode, type ErrorKind } from './error-catalogue.js'
export {
  AccessError,
  AssetError,
  ChainError,
  FILE_PROBLEMS,
  type FileProblem,
  HostingError,
  LimitError,
  LinkError,
  OrderError,
  ProviderError,
  PurchaseError,
  RequestError,
  SandboxError,
  SearchError,
  StaleIndexError,
  StartError,
  StateError,
  StorageError,
  TokenError,
  UnavailableError,
  UnstorableError,
  ValidationError,
} from './errors.js'
export type { Address, Hex } from './hex.js'
export { assertShape, JsonBoundsError, parseJson } from './json.js'
export { PROTOCOL_LIMITS, SELLER_LIMITS } from './limits.js'
export { memoized, memoizedText, upTo } from './memo.js'
export type { Schema } from './schema.js'
export { safeParse, validationError } from './validation.js'
export { withoutMark } from './values/byte-order-mark.js'
