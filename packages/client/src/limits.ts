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
  /**
   * Most bytes of the result of a call: a list of a hundred exchanges, or the longest symbol. Its gas: honest calls need at
   * most a tenth. Milliseconds for any answer of a node.
   */
  call: { result: 16_384, gas: 5_000_000, time: 30_000 },
  /** Blocks of a request for logs: all, then the limits of ever stricter nodes. */
  ranges: [Number.POSITIVE_INFINITY, 100_000, 10_000, 2_000, 500, 10],
  /** Milliseconds to wait for a mined transaction, unless the caller sets another limit. */
  mined: 300_000,
  /** Milliseconds in which an order may still wait for confirmations. */
  confirming: 300_000,
  /**
   * Milliseconds between looks for new sales, unless the caller sets them, and for new assets, which read the events of the
   * chain. `overlap`: milliseconds of a look before the present, since an index lists an order late if it is behind or
   * corrected.
   */
  following: { interval: 5_000, assets: 60_000, overlap: 900_000 },
  /** Documents per query of an account's assets, and most of them: the index reaches no further. */
  ownAssets: { size: 200, reach: 10_000 },
  /** Most pages of an access list: far more than any list has. */
  listPages: 1_000_000,
  /** Most characters of an auth token: the provider's own limit. */
  token: 4_096,
  /** Seconds since 1970 before which a link must end: its end is a valid date. */
  linkEnd: 1_000_000_000_000,
  /** Characters of a suggested file name that are read. */
  rawName: 4_096,
  /** Most characters of a header with a fact of a file, and of the last part of its name. */
  header: 1_024,
  /**
   * A purchase by a signed payment: milliseconds for a request, which the provider answers within a minute, and for a whole purchase
   * whose outcome the provider does not tell; bytes of a body; characters of a header; bounds of the seconds for which a payment is valid; seconds
   * after its end until no reorganisation can use it.
   */
  purchasing: {
    request: 90_000,
    most: 1_800_000,
    body: 65_536,
    header: 65_536,
    valid: { least: 120, most: 900 },
    margin: 30,
  },
  /**
   * Presented credentials: bytes of an answer, characters of a link for a wallet, failed policies that are named; milliseconds
   * between looks at a session, and for a person to present something.
   */
  policies: { answer: 524_288, link: 8_192, results: 20, poll: 2_000, wait: 900_000 },
  /** Receipts that are read at once: public nodes limit the rate of requests. */
  receipts: 8,
} as const

/** Limits on files and connections of Node, apart so that a page bundles no others. */
export const NODE_LIMITS = {
  /** Bytes per read and write of a file: the pieces of a connection are far smaller, and each write costs. */
  block: 1_048_576,
  /** Bytes below which pieces are copied together, so that a write does not have countless pieces. */
  small: 8_192,
  /** Bytes between two syncs of a file. */
  sync: 33_554_432,
  /** Most bytes of the notes on a transfer: a validator or an id, a URL and a few names. */
  notes: 65_536,
  /** Milliseconds between heartbeats of a lock, and without one until it is stale; most bytes of a lock. */
  lock: { heartbeat: 2_000, stale: 15_000, size: 4_096 },
  /** Buffered bytes of a body that pause its connection. */
  buffered: 262_144,
  /** Milliseconds to wait for the index: it looks at its chain every few seconds. */
  indexed: 15_000,
} as const
