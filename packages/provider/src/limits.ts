/**
 * The limits of this package on untrusted input: in size, in count and in time, each with its unit and reason. Settings are in
 * the service.
 */
export const PROVIDER_LIMITS = {
  http: {
    /** Requests in flight on one connection. Clients that pipeline at all send a few. Further ones are refused; beyond twice as many the connection is cut. */
    pipelined: 16,
    /** Bytes of the request line and headers: the longest signature as hex, with room for userdata and a token. */
    headers: 32_768,
    /** Connections accepted above MAX_CONNECTIONS, only to refuse their requests with a reason. Further ones are closed without a response. */
    excessConnections: 1000,
    /** Milliseconds within which the headers of a request must arrive, as the wire contract says. */
    headersTimeout: 60_000,
    /** Milliseconds within which the body of a request must arrive: 10 MB over a slow line. Uploads of files have a limit of their own. */
    requestTimeout: 300_000,
    /** Milliseconds in which at least `bodySteady` bytes of a request body must arrive, while it is read. Uploads have HOSTING_STALL_TIMEOUT. */
    bodyWindow: 20_000,
    /** Bytes of a request body that must arrive in every `bodyWindow`: 410 bytes/s, a fifth of a phone at the edge of its network. */
    bodySteady: 8_192,
    /** Milliseconds within which each 64 KiB of a response must be read: 1.1 KB/s, half of a phone at the edge of its network. Files have CONSUMER_STALL_TIMEOUT. */
    responsePiece: 60_000,
    /** Milliseconds for which the rest of a refused body is discarded, so that the client can read why. */
    linger: 5_000,
    /** Milliseconds between checks of the time-out of headers. */
    timeoutCheckInterval: 5_000,
    /** Client addresses whose rate-limit windows are held in memory. The least recently used are evicted, which resets their budgets. */
    trackedAddresses: 100_000,
  },
  params: {
    /** Characters of a text that is a parameter: ids of DDOs and services. The schemas of documents allow 256. */
    text: 512,
    /** Characters of an auth token: a JWT of this service has 300. */
    token: 4_096,
    /** Characters of a sign-in message: those of wallets have 300 to 600. */
    signIn: 4_096,
    /** Characters of userdata as JSON text: it has to fit into a URL. */
    userdata: 8_192,
    /** Nesting of userdata: parameters are flat, variables of a query have a level or two. */
    userdataDepth: 4,
  },
  fileinfo: {
    /** Storage objects that one request may list, each of which counts as a request. Market pages list one to ten. */
    listed: 20,
  },
  quotes: {
    /** Seconds for which a quote is valid for an order: a day to pay, so that a raised fee takes effect within a day. */
    lifetime: 86_400,
  },
  bytes: {
    /** Bytes that one transfer sends before other transfers and new requests get their turn of the event loop. */
    slice: 262_144,
    /** Bytes that a download may send beyond RATE_LIMIT_BYTES, so that a small file that has begun is completed. */
    overdraft: 65_536,
    /** Bytes that a storage may be ahead of what is sent before they are charged: the capacity of the buffers. */
    readAhead: 131_072,
    /** Bytes that a throttled download sends nevertheless, so that no proxy considers the connection dead. */
    keepAlive: 1024,
    /** Milliseconds between these keep-alive bytes: proxies close connections that are idle for a minute. */
    keepAliveInterval: 15_000,
    /** Milliseconds after which sent bytes are written to the database. */
    flushInterval: 500,
    /** Milliseconds after which an exhausted budget is checked again, unless its window ends earlier. */
    recheckInterval: 5_000,
    /** Bytes that a download of unknown length counts against its consumer's daily limit until it has ended. */
    reservation: 16_777_216,
  },
  ledger: {
    /** Queued deliveries and fees, about half a kilobyte each. Further ones are dropped and counted. */
    queue: 20_000,
    /** Rows of each kind per batch: a few milliseconds of the embedded database. So many are written at once. */
    batch: 256,
    /** Milliseconds for which they are queued at most while the database answers. A crash loses the queue. */
    flushInterval: 3_000,
    /** Fees in the cache of recorded ones. Recording an evicted fee again is idempotent. */
    knownFees: 10_000,
    /** Milliseconds between purges of rows older than DELIVERIES_KEEP. */
    purgeInterval: 3_600_000,
    /** Rows of each kind per batch of deletions. */
    purgeBatch: 500,
    /** Milliseconds between these batches. */
    purgePause: 50,
    /** Tokens of a report whose decimals are queried: a provider has a few. */
    reportTokens: 100,
  },
  transfer: {
    /** Milliseconds to connect to a database that is copied, backed up or restored. */
    connectTimeout: 10_000,
    /** Milliseconds for one statement of a copy, a backup or a check: counting a large table takes seconds. */
    statementTimeout: 600_000,
    /** Rows of the first batch of a table, and minimum of a batch: a row may contain a document of a megabyte. */
    firstRows: 20,
    /** Maximum rows of a batch: more are not faster. */
    rows: 500,
    /** Characters of a batch, by the largest row of the table so far. */
    size: 4_194_304,
    /** Keys per query for deleted rows: databases accept about a thousand alternatives. */
    keys: 200,
    /** Rows written in a pass of an online copy below which it asks to stop the source: the last pass then takes seconds. */
    caughtUp: 1_000,
    /** Passes of an online copy before it asks in any case: a busy source never becomes quiet. */
    passes: 5,
    /** Milliseconds between checks whether the source of an online copy has been stopped. */
    stopPollInterval: 500,
    /** Milliseconds between passes of an online copy while it waits for that. */
    passInterval: 30_000,
  },
  nonces: {
    /** Digits of a nonce, of its whole part and its fraction together: microseconds since 1970 have 16. */
    digits: 40,
    /** Milliseconds for which an instance caches the cut-over time: a concurrent import takes effect after that. */
    cutOverFresh: 5_000,
  },
  signers: {
    /** Signatures of one tick from which on a thread recovers them: the thread costs the event loop 12 µs, a signature 60. */
    minBatch: 2,
    /** Signatures that the thread has at most, 15 ms of work. The event loop recovers those beyond. */
    inThread: 256,
    /** Milliseconds without signatures after which the thread ends; after a failure, until it is used again. */
    idle: 30_000,
  },
  legacy: {
    /** Bytes of one value that `tidegate import` reads: a nonce has 20, and no URL could contain many more. */
    value: 1024,
  },
  links: {
    /** Characters of the grant in a download link, with the longest service id and userdata: URLs of 8,000 characters pass everywhere. Usual ones take 300. */
    grant: 4608,
    /** Characters of userdata in a download link, as JSON: dates and names take a few dozen. */
    userdata: 512,
    /** Milliseconds in which a storage may tell the name that a link ends with: people wait for the link. */
    naming: 3_000,
  },
  console: {
    /** Files of the built console: it has a few dozen. */
    files: 1_000,
    /** Bytes of all of them, which are held in memory: it has less than two million. */
    size: 33_554_432,
    /** Characters of Accept and Accept-Encoding that are looked at: browsers send a hundred. */
    accept: 1_024,
  },
  tokens: {
    /** Milliseconds by which a sign-in message may have been issued ahead of this clock. */
    issuedAhead: 300_000,
    /** Seconds for which a revocation is stored after the token has expired: a clock that was ahead must not revive the token. */
    retainedAfterExpiry: 604_800,
  },
} as const
