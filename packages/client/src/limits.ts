/** Limits on responses of a provider or node, in size and time, each with its reason. */
export const LIMITS = {
  /** Bytes of a JSON or text response: a page of search results has at most 8 MiB. */
  answer: 16_777_216,
  /** Most bytes of a refusal that are read: honest ones are a sentence or two. */
  refusal: 65_536,
  /** Most characters of a provider's message that are shown. */
  message: 500,
  /** Milliseconds for a request and its whole response. A provider describes files for half a minute at most. */
  deadline: 60_000,
  /** Milliseconds until the headers of a file: the provider may wait for an order to be mined, and asks the storage. */
  headers: 120_000,
  /** Milliseconds without a byte until a connection counts as stalled and is closed. */
  stall: 60_000,
  /** Retries in a row of a transfer that makes little or no progress. */
  retries: 10,
  /** Retries before the first byte, so that an unavailable file is reported soon. */
  firstRetries: 2,
  /** Bytes of progress that reset the count of failures. */
  progress: 65_536,
  /** Milliseconds between attempts: the first pause, which doubles, and the longest. */
  pause: { first: 250, longest: 15_000 },
  /** Longest accepted Retry-After, in seconds. */
  retryAfter: 120,
  /** Most restarts of a download whose file changes. */
  restarts: 3,
  /** Most bytes of a file in memory, unless the caller sets another limit. */
  blob: 1_073_741_824,
  /** Most files of a service: the provider's own limit. */
  files: 10_000,
  /** Most bytes of all storage objects of a service: the provider's limit of the encrypted field, without its envelope. */
  objectsSize: 261_000,
  /** Bytes of the storage object of a hosted file, without its name. */
  objectSize: 78,
  /** Most bytes of a file name in UTF-8: file systems allow 255, with the added endings. */
  fileName: 200,
  /** Bytes of a part of an upload: the first, which passes the usual limit of proxies, the largest and the smallest. */
  part: { first: 1_048_576, largest: 8_388_608, least: 262_144 },
  /** Most entries of a page of hosted files, and of the assets that use one: the provider's are 100. */
  uploads: 1_000,
  /** Most pages of hosted files that are read. */
  uploadPages: 1_000,
  /** Milliseconds for a part of an upload: 8 MiB at 28 KiB/s. After a slower part, the next one is smaller. */
  partTime: 300_000,
  /** Milliseconds of a fast part, after which the next one is larger. */
  partFast: 5_000,
  /** Attempts of a signed request whose nonce another request of the account has overtaken. */
  nonceAttempts: 20,
  /** Orders of one page of the index: its own limit. */
  orders: 1_000,
  /** Most bytes of terms, and of a sample: the provider's limit of a public file. */
  document: 5_242_880,
  /** Milliseconds to fetch terms or a sample: 5 MiB at 175 KB/s. */
  documentTime: 30_000,
  /** Most samples of an asset. */
  samples: 10,
  /** Bytes of the calldata of a contract wallet in which accepted terms are looked for: the usual limit of a transaction. */
  calldata: 131_072,
  /** Links that are created at once. The provider may ask the storage for each file's name. */
  links: 8,
  /**
   * Milliseconds to wait for a node that is behind: for a block that the chain has reached, and for a hash that may be
   * unknown; the first pause between two calls, which doubles; the age at which a moment is renewed before a transaction.
   * `mined`: blocks of own transactions that are remembered. `young`: newest blocks whose logs are proven, by their blooms,
   * if they are at most `age` seconds old.
   */
  behind: { known: 30_000, unknown: 4_000, pause: 100, fresh: 2_000, mined: 8, young: 4, age: 30 },
  /** Receipts that are read at once: public nodes limit the rate of requests. */
  receipts: 8,
} as const
