/** The kind of an error for the caller. The HTTP layer maps each kind to a status. */
export type ErrorKind =
  /** The caller can correct the request. */
  | 'invalid'
  /** Access is denied: by the asset's state, by credentials, or by the operator. */
  | 'denied'
  /** Access is denied for legal reasons. */
  | 'withheld'
  /** The requested resource does not exist. */
  | 'notFound'
  /** The resource existed and was removed. */
  | 'gone'
  /** The state of the resource does not allow the request. */
  | 'conflict'
  /** Another request is using the resource. */
  | 'locked'
  /** Too many bytes. */
  | 'tooLarge'
  /** An unsupported version of a protocol. */
  | 'version'
  /** An unsupported media type. */
  | 'mediaType'
  /** The bytes do not match their checksum. */
  | 'checksum'
  /** No space for more bytes. */
  | 'full'
  /** The storage of the asset failed. */
  | 'storage'
  /** The storage of the asset did not respond in time. */
  | 'storageTimeout'
  /** The blockchain node failed. */
  | 'chain'
  /** A required part of the service is temporarily unavailable. */
  | 'unavailable'
  /** The caller has exceeded a limit. */
  | 'limited'

interface CatalogueEntry {
  kind: ErrorKind
  cause: string
  remedy: string
}

/** Every stable error code, with its cause and remedy. Source of docs/errors.md. */
export const ERROR_CATALOGUE = {
  VALIDATION: {
    kind: 'invalid',
    cause: 'A parameter is missing, malformed or given twice, or a signature, nonce or token is not valid.',
    remedy: 'Read the message under the named field, correct the field, and retry.',
  },
  BAD_CONTENT_TYPE: {
    kind: 'invalid',
    cause: 'The route does not accept the content type of the body.',
    remedy: 'Send the content type that the message names.',
  },
  EMPTY_BODY: {
    kind: 'invalid',
    cause: 'The route requires a body, and none was sent.',
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
    cause: 'The auth token was not issued by this provider, was modified, or belongs to another address.',
    remedy: 'Create a token with this provider, and use it for the address that it was created for.',
  },
  SIGNATURE_NAMES_NO_PROVIDER: {
    kind: 'invalid',
    cause: 'The signed text names no provider, and the operator requires that (`REQUIRE_DOMAIN_SIGNATURES`).',
    remedy: 'Create an auth token by a message of EIP-4361, and send it instead of a signature.',
  },
  LINK_INVALID: {
    kind: 'denied',
    cause:
      'The download link was not made by this provider, was modified or truncated, or its key has been replaced since.',
    remedy: 'Use the whole link as it was given, or create a new one.',
  },
  LINK_EXPIRED: { kind: 'gone', cause: 'The download link has passed its expiry.', remedy: 'Create a new link.' },
  LINK_FILE_GONE: {
    kind: 'gone',
    cause:
      'The publisher has replaced or removed the file that the download link was created for, or one of all files of an archive.',
    remedy: 'Look at the files that the asset has now, and create a link to one of them.',
  },
  LINK_REVOKED: {
    kind: 'gone',
    cause:
      'The auth token that the download link was created with was deleted, or the operator has forgotten the account.',
    remedy: 'Create a new link.',
  },
  HOSTING_OFF: {
    kind: 'notFound',
    cause: 'This provider hosts no files.',
    remedy: 'Use another provider, or put the file somewhere else and publish its location.',
  },
  NOT_A_PUBLISHER: {
    kind: 'denied',
    cause: 'The operator lets only certain addresses upload files (HOSTING_PUBLISHERS), and this is not one of them.',
    remedy: 'Ask the operator.',
  },
  UPLOAD_NOT_FOUND: {
    kind: 'notFound',
    cause: 'This address has no such upload: it never existed, was deleted, or has expired.',
    remedy: 'Upload the file again.',
  },
  UPLOAD_INVALID: {
    kind: 'invalid',
    cause: 'The request does not follow the tus protocol, or uses a part of it that is not supported.',
    remedy: 'Read the message, and use a client of tus 1.0.',
  },
  UPLOAD_VERSION: {
    kind: 'version',
    cause: 'Tus-Resumable is missing, or names another version than 1.0.0.',
    remedy: 'Send Tus-Resumable: 1.0.0.',
  },
  UPLOAD_TYPE: {
    kind: 'mediaType',
    cause: 'The bytes of an upload were sent with another media type than the tus protocol requires.',
    remedy: 'Send Content-Type: application/offset+octet-stream.',
  },
  UPLOAD_CONFLICT: {
    kind: 'conflict',
    cause: 'The part does not begin at the current end of the upload, or another writer has continued it.',
    remedy: 'Read the current offset by a HEAD request, and continue from there.',
  },
  UPLOAD_FINAL: {
    kind: 'denied',
    cause: 'A final upload consists of its partial uploads, and takes no bytes of its own.',
    remedy: 'Begin a new upload.',
  },
  UPLOAD_IN_USE: {
    kind: 'conflict',
    cause: 'An asset uses the file.',
    remedy: 'Change the asset first, or delete the file with force=true.',
  },
  UPLOAD_LOCKED: {
    kind: 'locked',
    cause: 'Another request is still writing to this upload.',
    remedy: 'Try again in a moment.',
  },
  UPLOAD_TOO_LARGE: {
    kind: 'tooLarge',
    cause: 'The file is larger than HOSTING_MAX_FILE, or a part goes beyond the length that was declared.',
    remedy: 'Declare the right length, or split the file.',
  },
  UPLOAD_QUOTA: {
    kind: 'denied',
    cause: 'The files of this publisher would exceed HOSTING_QUOTA, or there would be too many of them.',
    remedy: 'Delete files that are no longer needed, or ask the operator.',
  },
  UPLOAD_CHECKSUM: {
    kind: 'checksum',
    cause: 'The bytes of the part do not match its Upload-Checksum; none of them were kept.',
    remedy: 'Send the part again.',
  },
  HOSTING_FULL: {
    kind: 'full',
    cause: 'The storage of hosted files is full. Acknowledged bytes are kept.',
    remedy: 'Try again later: the upload continues from the last acknowledged byte.',
  },
  HOSTING_UNAVAILABLE: {
    kind: 'unavailable',
    cause:
      'The storage of hosted files does not respond, or too many files are being uploaded. Acknowledged bytes are kept.',
    remedy: 'Try again in a moment: the upload continues from the last acknowledged byte.',
  },
  UPLOAD_UNSTORABLE: {
    kind: 'denied',
    cause: 'The storage of hosted files refuses the file for good, such as for the size or number of its parts.',
    remedy: 'Do not repeat the upload. Split the file, or tell the operator the reason in the message.',
  },
  UPLOAD_LOST: {
    kind: 'gone',
    cause: 'The storage of hosted files has lost bytes of this upload.',
    remedy: 'Delete the upload, and upload the file again.',
  },
  UNKNOWN_CHAIN: {
    kind: 'invalid',
    cause: 'This provider does not serve the requested chain.',
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
    cause:
      'The encrypted files of the service cannot be decrypted by this provider, do not belong to this asset, are missing, or the descriptor of this file is not supported.',
    remedy:
      'The publisher must encrypt the files with this provider for this data NFT and datatoken; fileinfo names the fault of a storage object.',
  },
  FILES_IN_DATATOKEN: {
    kind: 'conflict',
    cause:
      'The files of the service are in its datatoken (template 4), which gives them for a download that the consumer signs, and for nothing else.',
    remedy:
      'Download by GET with the signature of an account (65 bytes): not with a token, a link, HEAD, or as a contract wallet. Such files cannot be described, priced by size, bought by a signed payment, or joined to new ones.',
  },
  FILES_REFUSED: {
    kind: 'denied',
    cause:
      'The datatoken did not give the files of the service: its lists do not admit this provider, its contract does not know the order, or its answer is longer than a list of files may be.',
    remedy: 'The publisher must admit the provider address that GET / names.',
  },
  NOT_AN_ACCESS_SERVICE: {
    kind: 'denied',
    cause: 'The service sells compute on the file, not the file itself: only a compute environment may download it.',
    remedy: 'Use a service of type access.',
  },
  DECRYPTER_DENIED: {
    kind: 'denied',
    cause: 'The operator allows only certain addresses to decrypt documents, and this is not one of them.',
    remedy:
      'Ask the operator to be listed in AUTHORIZED_DECRYPTERS, or on an access list of AUTHORIZED_DECRYPTERS_LIST.',
  },
  UPDATER_DENIED: {
    kind: 'denied',
    cause: 'The address may not change the metadata of the asset.',
    remedy:
      'Sign with an account to which the data NFT grants updateMetadata: its owner, or an account that the owner named.',
  },
  FILES_CHANGED: {
    kind: 'conflict',
    cause: 'The files of the asset are of another version than the one that the request changes.',
    remedy: 'Look at the files that the asset has now, and repeat the change.',
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
    remedy: 'The message says which; the publisher must publish it again.',
  },
  NO_SUCH_FILE: {
    kind: 'invalid',
    cause: 'The file index is beyond the end of the file list.',
    remedy: 'Call fileinfo to see how many files the service has.',
  },
  FILE_UNAVAILABLE: {
    kind: 'invalid',
    cause: 'The requested file is not available at its storage.',
    remedy: 'Retry later; if the error persists, the publisher has to fix the storage.',
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
  CREDENTIALS_UNAVAILABLE: {
    kind: 'chain',
    cause:
      'Whether the consumer is denied depends on an access list that does not answer: its contract fails, or is on a chain that is not served.',
    remedy: 'Retry later; if the error persists, the publisher must fix the credentials.',
  },
  POLICY_DENIED: {
    kind: 'denied',
    cause:
      'The credentials of the asset or service are for a policy server to judge, and that of this provider does not admit the consumer: it has no session, or not all that is asked for was presented in it.',
    remedy:
      'Start a session with initializePSVerification, present the credentials there, and send its id in policyServer.',
  },
  POLICY_UNAVAILABLE: {
    kind: 'unavailable',
    cause: 'The policy server of this provider gave no answer that can be read; requests are denied without it.',
    remedy: 'Retry later.',
  },
  PURGATORY: {
    kind: 'denied',
    cause: 'The asset or the consumer account is on a purgatory list of this provider.',
    remedy: 'Ask the operator.',
  },
  TAKEN_DOWN: {
    kind: 'withheld',
    cause: 'The operator of this provider has taken the asset down, by a court order or a notice.',
    remedy: 'The message has the reason in general words, and the contact of the operator. Receipts of orders stay.',
  },
  RBAC_DENIED: {
    kind: 'denied',
    cause: "The operator's access control server does not allow the request.",
    remedy: 'Ask the operator.',
  },
  RBAC_UNAVAILABLE: {
    kind: 'unavailable',
    cause: "The operator's access control server did not respond; requests are denied without it.",
    remedy: 'Retry later.',
  },
  ORDER_NOT_FOUND: {
    kind: 'invalid',
    cause: 'There is no transaction with this id on the chain, or it is not mined yet.',
    remedy: 'Wait until the order is mined, then send its transaction id.',
  },
  ORDER_REVERTED: { kind: 'invalid', cause: 'The order transaction failed on-chain.', remedy: 'Order again.' },
  ORDER_UNCONFIRMED: {
    kind: 'invalid',
    cause: 'The order does not have the confirmations that this provider requires.',
    remedy: 'Retry when more blocks have been mined.',
  },
  ORDER_NO_EVENT: {
    kind: 'invalid',
    cause: "The transaction contains no order of this service's datatoken.",
    remedy: 'Send the id of a transaction that orders this service.',
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
    remedy: 'Call initialize and order with the provider fee that it returns.',
  },
  ORDER_QUOTE_EXPIRED: {
    kind: 'invalid',
    cause: 'The order, or the reuse, was made more than a day after its provider fee was quoted.',
    remedy: 'Call initialize, and order (or reuse the order) within a day with the provider fee that it returns.',
  },
  ORDER_EXPIRED: {
    kind: 'invalid',
    cause: 'The access time that the service sells has passed since the order.',
    remedy: 'Order again.',
  },
  ORDER_FILE_GONE: {
    kind: 'gone',
    cause:
      'The order was quoted for one file of the service, at a fee by size, and the publisher has replaced or removed that file.',
    remedy: 'Ask the publisher for it, or order one of the files that the service has now.',
  },
  ORDER_WRONG_FILE: {
    kind: 'invalid',
    cause:
      'The order was quoted for one file of the service, at a fee by size, and another file was requested, or the fee of a reuse was quoted for another file.',
    remedy:
      'Request the file that the order was quoted for, or order with the provider fee that initialize returns for the other file (fileIndex) or for all files (without fileIndex).',
  },
  ORDER_WRONG_ENVIRONMENT: {
    kind: 'invalid',
    cause:
      'The compute order was quoted for another compute environment, or for none, or the order of an access service was quoted for one.',
    remedy:
      'Order with the provider fee that initialize returns for this service, and for compute with the environment.',
  },
  ORDER_COMPUTE_ENDED: {
    kind: 'invalid',
    cause: 'The time that the compute order paid for (validUntil) has passed.',
    remedy: 'Order again, or reuse the order with a new provider fee.',
  },
  ORDER_BAD_REUSE: {
    kind: 'invalid',
    cause: 'The reuse refers to a transaction that is not itself a valid order.',
    remedy: 'Reuse the transaction id of your own order of this service.',
  },
  STORAGE_REFUSED: {
    kind: 'storage',
    cause: 'The storage behind the asset refused, failed, or is not allowed by this provider.',
    remedy: 'Retry later; if the error persists, the publisher has to fix the storage.',
  },
  STORAGE_TIMEOUT: {
    kind: 'storageTimeout',
    cause: 'The storage behind the asset did not respond in time.',
    remedy: 'Retry later.',
  },
  STORAGE_BUSY: {
    kind: 'unavailable',
    cause: 'The provider has reached its limit of storage requests in flight (STORAGE_MAX_REQUESTS).',
    remedy: 'Retry in a moment.',
  },
  CHAIN_UNAVAILABLE: {
    kind: 'chain',
    cause:
      'The blockchain node did not respond; or the DID is not in the index, which is stale and cannot tell whether the asset exists.',
    remedy: 'Retry later.',
  },
  CLOCK_WRONG: {
    kind: 'unavailable',
    cause:
      'The clock of this provider differs from the time of the chain by more than ten minutes, so orders that it quotes for could not be used.',
    remedy: 'Do not pay. Try again later; the operator must set the clock of the machine.',
  },
  CANNOT_DELIVER: {
    kind: 'unavailable',
    cause:
      'This provider could not deliver a file now, so it quotes no order: its database takes no writes, its disk is nearly full, too few of its nodes answer, or a file that it hosts cannot be read.',
    remedy: 'Do not pay. Try again later; GET /ready and the log tell the operator the cause.',
  },
  PROVIDER_KEY_MISSING: {
    kind: 'unavailable',
    cause:
      'The files, or the quote of the order, need an earlier key of this provider, which is not configured. It is not the fault of publisher or consumer.',
    remedy:
      'Do not pay again. Try again later; the operator must add the key to PREVIOUS_PRIVATE_KEYS or PREVIOUS_KEYSTORES.',
  },
  CHAIN_NOT_READY: {
    kind: 'unavailable',
    cause: 'No node of this blockchain has answered since the provider started; other chains are served.',
    remedy: 'Retry after the time in Retry-After.',
  },
  STATE_UNAVAILABLE: {
    kind: 'unavailable',
    cause: "The provider's database did not respond; nothing was accepted.",
    remedy: 'Retry later with the same request.',
  },
  BUSY: {
    kind: 'unavailable',
    cause:
      'The provider has reached its limit of connections or of requests in flight (MAX_CONNECTIONS, MAX_DOWNLOADS, MAX_ANONYMOUS).',
    remedy: 'Retry after the time in Retry-After, or close connections that you do not need.',
  },
  NOT_OFFERED: {
    kind: 'notFound',
    cause:
      'The asset is not sold for a signed payment here: it is free, no exchange sells it for a token that the provider takes, or a fee is in another token.',
    remedy: 'Order it as usual, from an account with coins of the chain.',
  },
  PURCHASE_NOT_FOUND: {
    kind: 'notFound',
    cause: 'The provider knows no purchase with this id.',
    remedy: 'Check the id and the provider; send the same payment again.',
  },
  PURCHASE_CONFLICT: {
    kind: 'conflict',
    cause: 'The payment was made before, for something else or with other values.',
    remedy: 'Repeat a payment unchanged, or sign a new one with another nonce.',
  },
  PURCHASE_LIMITED: {
    kind: 'limited',
    cause:
      'Too many purchases of the account are under way, or too many of the account, of contract wallets or of the asset failed today. Nothing was paid.',
    remedy: 'Retry after the time in Retry-After.',
  },
  PURCHASE_UNAVAILABLE: {
    kind: 'unavailable',
    cause:
      'The provider takes no more payments now: gas is too dear, its account has too few coins, or a limit of the operator is reached (PURCHASE_DAILY_LIMIT). Nothing was paid.',
    remedy: 'Retry later with the same payment, or order as usual.',
  },
  SEARCH_UNAVAILABLE: {
    kind: 'unavailable',
    cause:
      'A search timed out, too many are in flight, the search index is being built after the state was copied or restored, or orders are being read for the first time.',
    remedy: 'Retry in a moment; narrow the search down if the message says so.',
  },
  SANDBOX_UNAVAILABLE: {
    kind: 'unavailable',
    cause: 'The threads that read documents are busy, are stopping, or could not be started.',
    remedy: 'Retry with the same request in a moment.',
  },
  RATE_LIMITED: {
    kind: 'limited',
    cause: 'The address has exceeded the limit of requests or bytes per minute, or has too many requests in flight.',
    remedy: 'Retry after the time in Retry-After.',
  },
  CONSUMER_LIMITED: {
    kind: 'limited',
    cause:
      'The consumer has used up the downloads or bytes of the day that this provider allows (CONSUMER_REQUESTS_PER_DAY, CONSUMER_BYTES_PER_DAY).',
    remedy:
      'Retry after the time in Retry-After. The order is not used up, and neither is the nonce, unless another download of the consumer took what was left at the same moment.',
  },
  STOPPING: {
    kind: 'unavailable',
    cause: 'The instance is stopping and drains its requests in flight.',
    remedy: 'Retry with the same request; it reaches another instance, or the same one after its restart.',
  },
  FOREIGN_PAGE: {
    kind: 'denied',
    cause: 'A local development service was called by the host name of another machine, or by a page of another site.',
    remedy:
      'Use its loopback address, or start it with `tidegate dev --allow-host`, or name the origin in CORS_ORIGINS.',
  },
  ROUTE_NOT_FOUND: { kind: 'notFound', cause: 'No such path.', remedy: 'GET / lists every path.' },
  ASSET_NOT_FOUND: {
    kind: 'notFound',
    cause: 'The index holds no asset with this DID.',
    remedy: 'Check the DID; after publishing, wait until the metadata is indexed.',
  },
} as const

/** Compiles only if every entry is complete. */
type Complete<T extends Record<string, CatalogueEntry>> = T

export type ErrorCode = keyof Complete<typeof ERROR_CATALOGUE>
