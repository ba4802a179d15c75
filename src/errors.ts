/** What went wrong, seen from the caller: the HTTP layer maps each kind to one status code. */
export type ErrorKind =
  /** The request can be mended by whoever sent it. */
  | 'invalid'
  /** The asset's state or its credentials refuse this consumer. */
  | 'denied'
  /** The thing asked for does not exist. */
  | 'notFound'
  /** The storage behind the asset failed. */
  | 'storage'
  /** The storage behind the asset did not answer in time. */
  | 'storageTimeout'
  /** The blockchain node failed. */
  | 'chain'
  /** A part of the service that this request needs is not available now. */
  | 'unavailable'
  /** The caller has had as much as one may have for now. */
  | 'limited'

interface CatalogueEntry {
  kind: ErrorKind
  cause: string
  remedy: string
}

/** Every stable error code, with its cause and what the caller can do. docs/errors.md is generated from this table. */
export const ERROR_CATALOGUE = {
  VALIDATION: {
    kind: 'invalid',
    cause: 'A parameter is missing, malformed or given twice, or a signature, nonce or token does not hold.',
    remedy: 'Read the message under the field that is named, correct that field, send the request again.',
  },
  BAD_CONTENT_TYPE: {
    kind: 'invalid',
    cause: 'The body was sent with another content type than the route takes.',
    remedy: 'Send the content type that the message names.',
  },
  EMPTY_BODY: {
    kind: 'invalid',
    cause: 'The route needs a body and none was sent.',
    remedy: 'Send the document in the request body.',
  },
  TOKEN_EXPIRED: {
    kind: 'invalid',
    cause: 'The auth token has passed its expiration.',
    remedy: 'Create a new token.',
  },
  TOKEN_DELETED: { kind: 'invalid', cause: 'The auth token was deleted.', remedy: 'Create a new token.' },
  TOKEN_INVALID: {
    kind: 'invalid',
    cause: 'The auth token was not issued by this provider, was changed, or belongs to another address.',
    remedy: 'Create a token with this provider, and use it for the address that it was created for.',
  },
  UNKNOWN_CHAIN: {
    kind: 'invalid',
    cause: 'This provider does not serve the chain that was named.',
    remedy: 'Use one of the chain ids listed under chainIds at GET /.',
  },
  DID_NOT_RESOLVED: {
    kind: 'invalid',
    cause: 'No asset with this DID is known, or its document cannot be read by this provider.',
    remedy: 'Check the DID; after publishing, wait until the metadata is indexed.',
  },
  UNKNOWN_SERVICE: {
    kind: 'invalid',
    cause: 'The asset has no service with this id.',
    remedy: 'Use an id from the services of the DDO.',
  },
  FILES_UNREADABLE: {
    kind: 'invalid',
    cause: 'The encrypted files of the service cannot be decrypted by this provider, or do not belong to this asset.',
    remedy: 'The publisher must encrypt the files with this provider for this data NFT and datatoken.',
  },
  NOT_AN_ACCESS_SERVICE: {
    kind: 'denied',
    cause: 'The service sells computing on the file, not the file: only a compute environment may fetch it.',
    remedy: 'Use a service of type access.',
  },
  DECRYPTER_DENIED: {
    kind: 'denied',
    cause: 'The operator lets only certain addresses decrypt documents, and this is none of them.',
    remedy: 'Ask the operator to be listed in AUTHORIZED_DECRYPTERS.',
  },
  NFT_UNKNOWN: {
    kind: 'invalid',
    cause: "The data NFT was not deployed by the chain's own factory.",
    remedy: 'Check dataNftAddress and chainId.',
  },
  DOCUMENT_UNKNOWN: {
    kind: 'invalid',
    cause: 'The document or transaction is not one that this data NFT published.',
    remedy: 'Send the id of the transaction that published the metadata of this data NFT.',
  },
  DOCUMENT_UNREADABLE: {
    kind: 'invalid',
    cause: 'The document cannot be decrypted or decompressed, has another hash, or is not the DDO of this data NFT.',
    remedy: 'The message says which; the publisher has to publish it again.',
  },
  NO_SUCH_FILE: {
    kind: 'invalid',
    cause: 'The file index is beyond the end of the file list.',
    remedy: 'Ask fileinfo how many files the service has.',
  },
  FILE_UNAVAILABLE: {
    kind: 'invalid',
    cause: 'The file that was asked about cannot be reached at its storage.',
    remedy: 'Try again later; if it stays so, the publisher has to mend the storage.',
  },
  ASSET_NOT_CONSUMABLE: {
    kind: 'denied',
    cause: 'The on-chain state of the asset does not allow access (only active and unlisted do).',
    remedy: 'Only the publisher can change the state.',
  },
  CREDENTIALS_DENIED: {
    kind: 'denied',
    cause: 'The credentials of the asset or service do not admit this consumer address.',
    remedy: 'Ask the publisher to be admitted.',
  },
  PURGATORY: {
    kind: 'denied',
    cause: 'The asset or the consumer account is on a list of what this provider does not serve.',
    remedy: 'Ask the operator.',
  },
  RBAC_DENIED: {
    kind: 'denied',
    cause: "The operator's access control server does not allow the request.",
    remedy: 'Ask the operator.',
  },
  RBAC_UNAVAILABLE: {
    kind: 'unavailable',
    cause: "The operator's access control server did not answer, and without it nothing is allowed.",
    remedy: 'Try again later.',
  },
  ORDER_NOT_FOUND: {
    kind: 'invalid',
    cause: 'The chain knows no transaction with this id, or it is not mined yet.',
    remedy: 'Wait until the order is mined, then send its transaction id.',
  },
  ORDER_REVERTED: { kind: 'invalid', cause: 'The order transaction failed on-chain.', remedy: 'Order again.' },
  ORDER_UNCONFIRMED: {
    kind: 'invalid',
    cause: 'The order does not have the confirmations that this provider asks for.',
    remedy: 'Try again when more blocks have been mined.',
  },
  ORDER_NO_EVENT: {
    kind: 'invalid',
    cause: "The transaction holds no order of this service's datatoken.",
    remedy: 'Send the id of a transaction that orders this very service.',
  },
  ORDER_WRONG_SERVICE: {
    kind: 'invalid',
    cause: 'The order was made for another service of the asset.',
    remedy: 'Order with the index of this service in the DDO.',
  },
  ORDER_UNDERPAID: {
    kind: 'invalid',
    cause: 'The order transferred less than one datatoken.',
    remedy: 'Order again with at least one datatoken.',
  },
  ORDER_WRONG_CONSUMER: {
    kind: 'invalid',
    cause: 'The order was made neither by nor for this consumer address.',
    remedy: 'Use the account that is the consumer or the payer of the order.',
  },
  ORDER_BAD_FEE: {
    kind: 'invalid',
    cause:
      'The order does not carry a provider fee that this provider quoted for this datatoken and service on this chain.',
    remedy: 'Call initialize and order with the provider fee it answers.',
  },
  ORDER_QUOTE_EXPIRED: {
    kind: 'invalid',
    cause: 'The order, or the reuse, was made more than a day after its provider fee was quoted.',
    remedy: 'Call initialize, and order (or reuse the order) with the provider fee it answers within a day.',
  },
  ORDER_EXPIRED: {
    kind: 'invalid',
    cause: 'The access time that the service sells has passed since the order.',
    remedy: 'Order again.',
  },
  ORDER_WRONG_ENVIRONMENT: {
    kind: 'invalid',
    cause:
      'The compute order was quoted for another compute environment, or for none, or the order of an access service was quoted for one.',
    remedy:
      'Order with the provider fee that initialize answers for this service, and for computing with the environment.',
  },
  ORDER_COMPUTE_ENDED: {
    kind: 'invalid',
    cause: 'The time that the compute order paid for (validUntil) has passed.',
    remedy: 'Order again, or reuse the order with a new provider fee.',
  },
  ORDER_BAD_REUSE: {
    kind: 'invalid',
    cause: 'The reuse refers to a transaction that is not itself a good order.',
    remedy: 'Reuse the transaction id of your own order of this service.',
  },
  STORAGE_REFUSED: {
    kind: 'storage',
    cause: 'The storage behind the asset refused, failed, or may not be reached by this provider.',
    remedy: 'Try again later; if it stays so, the publisher has to mend the storage.',
  },
  STORAGE_TIMEOUT: {
    kind: 'storageTimeout',
    cause: 'The storage behind the asset did not answer in time.',
    remedy: 'Try again later.',
  },
  STORAGE_BUSY: {
    kind: 'unavailable',
    cause: 'The provider fetches as many files at once as the operator allows (STORAGE_MAX_REQUESTS).',
    remedy: 'Try again in a moment.',
  },
  CHAIN_UNAVAILABLE: { kind: 'chain', cause: 'The blockchain node did not answer.', remedy: 'Try again later.' },
  STATE_UNAVAILABLE: {
    kind: 'unavailable',
    cause: "The provider's own database did not answer; nothing was accepted.",
    remedy: 'Try again later with the same request.',
  },
  BUSY: {
    kind: 'unavailable',
    cause: 'The provider has as many connections or downloads as the operator allows (MAX_CONNECTIONS, MAX_DOWNLOADS).',
    remedy: 'Wait as long as Retry-After says, or close connections that you do not need.',
  },
  SANDBOX_UNAVAILABLE: {
    kind: 'unavailable',
    cause: 'The threads that read documents are busy, are being stopped, or could not be started.',
    remedy: 'Send the same request again in a moment.',
  },
  RATE_LIMITED: {
    kind: 'limited',
    cause:
      'The address has sent more requests, or was handed more bytes, than the operator allows in a minute, or has too many downloads under way.',
    remedy: 'Wait as long as Retry-After says.',
  },
  STOPPING: {
    kind: 'unavailable',
    cause: 'The instance that was asked is being stopped, and ends what is under way.',
    remedy: 'Send the same request again; it reaches another instance, or the same one after its restart.',
  },
  ROUTE_NOT_FOUND: { kind: 'notFound', cause: 'No such path.', remedy: 'GET / lists every path.' },
  ASSET_NOT_FOUND: {
    kind: 'notFound',
    cause: 'The index holds no asset with this DID.',
    remedy: 'Check the DID; after publishing, wait until the metadata is indexed.',
  },
} as const satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof ERROR_CATALOGUE

/**
 * Base of every error that the domain throws on purpose. The message may reach the caller and the logs, so it never
 * holds a file location, a descriptor header, a key or a token; a cause with such content is not attached either.
 */
export class ProviderError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message)
    this.name = new.target.name
  }

  get kind(): ErrorKind {
    return ERROR_CATALOGUE[this.code].kind
  }
}

/** Something is wrong with named parameters of the request: field name to one or more reasons. */
export class ValidationError extends ProviderError {
  constructor(readonly fields: Record<string, string[]>) {
    super('VALIDATION', 'Validation error')
  }

  /** The common case: one field, one reason. */
  static of(field: string, reason: string): ValidationError {
    return new ValidationError({ [field]: [reason] })
  }
}

export class RequestError extends ProviderError {}
export class TokenError extends ProviderError {}
export class AssetError extends ProviderError {}
export class AccessError extends ProviderError {}
export class OrderError extends ProviderError {}
export class StorageError extends ProviderError {}
export class ChainError extends ProviderError {}
export class StateError extends ProviderError {}

/** The database answers, and does not take what it was given: to try again is of no use. */
export class UnstorableError extends StateError {
  constructor() {
    super('STATE_UNAVAILABLE', 'The state store does not take this.')
  }
}
export class LimitError extends ProviderError {}
export class SandboxError extends ProviderError {}

/** The service cannot start as configured; `problems` holds one line for each reason. */
export class StartError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'))
    this.name = 'StartError'
  }
}
