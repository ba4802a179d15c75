/**
 * Limits of this package on untrusted input: size, count and time, each with its unit and reason. Limits of the operator
 * are settings.
 */
export const PROVIDER_LIMITS = {
  purchases: {
    /** Confirmations that make a block final for purchases, if PURCHASE_CONFIRMATIONS names none. */
    confirmations: 20,
    /** Milliseconds for the quote of a purchase, within which files are described. */
    quoting: 15_000,
    /** Seconds after which a client asks again for a purchase that is under way. */
    retry: 5,
  },
  workers: {
    /** Bytes of memory for each worker of WORKERS=auto: what it takes while strangers search a million assets in every way. */
    memory: 536_870_912,
    /** Workers of a service: far more than machines have cores. */
    most: 1_024,
    /** Milliseconds before an exited worker is replaced: first and longest. Doubles while workers exit before they serve. */
    backoff: { first: 250, longest: 30_000 },
  },
  takedowns: {
    /** Milliseconds for which a look-up is kept, and between two looks for changes by other processes. */
    age: 1000,
    /** Look-ups that are kept: the assets and public files that strangers ask for within a second. */
    kept: 10_000,
    /** Changes that are read at once. */
    changes: 100,
    /** Characters of a reason: a sentence. */
    reason: 200,
    /** Documents that are read to see whether other assets use a public file of a withheld one. */
    users: 50,
    /** Takedowns that `tidegate takedown list` reads at once. */
    listed: 1000,
    /** Newest takedowns that metrics name. */
    named: 100,
  },
  http: {
    /**
     * Requests in flight on one connection; pipelining clients send a few. Further requests are refused. At twice as
     * many the connection is cut.
     */
    pipelined: 16,
    /**
     * Connections that wait in the kernel to be accepted, as far as net.core.somaxconn allows. Of more, each loses a second before it asks
     * again. Node has room for 511.
     */
    backlog: 4096,
    /** Bytes of the request line and headers: the longest signature as hex, with room for userdata and a token. */
    headers: 32_768,
    /**
     * Connections above MAX_CONNECTIONS. They are accepted only to refuse their requests with a reason; further ones are
     * closed at once.
     */
    excessConnections: 1000,
    /** Connections that an address may keep in any case: a browser opens six. */
    leastShare: 6,
    /** Connections of an address that are closed for a new one, at most, so that no turn takes long. */
    evictions: 32,
    /** Milliseconds within which the headers of a request must arrive, as the wire contract says. */
    headersTimeout: 60_000,
    /** Milliseconds within which the body of a request must arrive: 10 MiB over a slow line. File uploads have another limit. */
    requestTimeout: 300_000,
    /**
     * Milliseconds in which at least `bodySteady` bytes of a body must arrive while it is read. Uploads have
     * HOSTING_STALL_TIMEOUT.
     */
    bodyWindow: 20_000,
    /** Bytes of a request body that must arrive in every `bodyWindow`: 410 bytes/s, a fifth of a phone at the edge of its network. */
    bodySteady: 8_192,
    /** Milliseconds within which each 64 KiB of a response must be read: 1.1 KiB/s, half of a phone at the edge of its network. Files have CONSUMER_STALL_TIMEOUT. */
    responsePiece: 60_000,
    /** Bytes of a response that must be read in each `responsePiece`. */
    piece: 65_536,
    /** Bytes that socket buffers accept without a reader. */
    socketBuffer: 65_536,
    /** Characters per write of a response in parts. */
    write: 65_536,
    /** Seconds for which browsers may cache the response to a preflight; Chromium allows at most two hours. */
    preflight: 7_200,
    /** Milliseconds in which the rest of a refused body is discarded, so that the client can read the refusal. */
    linger: 5_000,
    /** Milliseconds between checks of the time-out of headers. */
    timeoutCheckInterval: 5_000,
    /** Client addresses with rate-limit windows in memory. Evicting the least recently used address resets its budget. */
    trackedAddresses: 100_000,
  },
  anonymous: {
    /** Requests without an order per minute and address, their bytes, and those in flight, unless the settings name others. */
    defaults: { requests: 600, bytes: 1_073_741_824, inFlight: 32 },
  },
  params: {
    /** Characters of a text parameter, such as the id of a DDO or service. The schemas of documents allow 256. */
    text: 512,
    /** Characters of an auth token. A JWT of this service has 300. */
    token: 4_096,
    /** Characters of a sign-in message. Those of wallets have 300 to 600. */
    signIn: 4_096,
    /** Characters of userdata as JSON text: it must fit into a URL. */
    userdata: 8_192,
    /** Nesting of userdata. Parameters are flat; variables of a query have one or two levels. */
    userdataDepth: 4,
  },
  accessLists: {
    /** Members of all access lists of publishers together. Every search compares with them. */
    members: 5_000,
    /** Members that are requested at once. */
    slice: 20,
    /** Milliseconds after which a list is read again, or a second per member if that is longer: reading takes two calls per member. */
    reread: 60_000,
  },
  policies: {
    /** Bytes of an answer of the policy server. A presentation with its credentials has tens of thousands. */
    answer: 262_144,
    /** Characters of its words in an error. */
    words: 200,
    /** Questions that one process asks at once: each holds a document. */
    asked: 32,
    /** Questions that wait for these. */
    waiting: 512,
    /** Decisions that are kept. */
    kept: 10_000,
    /** Characters of the parameter policyServer as JSON text: an id and four URLs. */
    parameter: 4_096,
    /** Nesting of that parameter. */
    parameterDepth: 2,
    /** Bytes of a message to the policy server. A presentation is a few signed tokens. */
    message: 262_144,
    /** Nesting of such a message. */
    messageDepth: 16,
  },
  catalogue: {
    /** Assets on a page of the catalogue: each may have a document of 100 KB, which is read for it. */
    page: 50,
    /** Pages of the catalogue. The sitemap has deeper ones. */
    pages: 20_000,
    /** Assets that are counted for sitemaps. */
    counted: 1_000_000,
    /** DIDs of a sitemap that are read at once. */
    group: 5_000,
    /** Characters of a response that is sent as a whole. */
    whole: 262_144,
    /** Services of an asset whose files are named: each list is decrypted. */
    services: 10,
    /** Files of an asset that its page and its descriptions name. */
    files: 1_000,
    /** Files of an asset that a page of the catalogue names: each hosted one is a look into the database. */
    filesInPage: 20,
    /** Seconds for which a cache may keep a page: as long as a changed price may be told. */
    maxAge: 60,
    /** Characters of made pages in memory, for each kind of page. */
    kept: 2_097_152,
  },
  archives: {
    /** Files of other storages in one archive: each is a request to somebody else. Clients get more files one by one. */
    foreign: 100,
    /** Files that all archives of a process request of one host at once: those of one archive. */
    burst: 100,
    /** Milliseconds for each further file of a host: ten a second are a load that any storage bears. */
    interval: 100,
    /** Hosts whose pace is in memory. */
    hosts: 10_000,
  },
  fileinfo: {
    /** Storage objects that one request may list, each of which counts as a request; so do as many files of a published service. Market pages list one to ten. */
    listed: 20,
  },
  quotes: {
    /** Seconds for which a quote is valid: a day to pay, so that a raised fee takes effect within a day. */
    lifetime: 86_400,
  },
  bytes: {
    /** Bytes that a transfer sends before other transfers and new requests run. */
    slice: 262_144,
    /** Successive writes that a connection takes at once after which its client is fast, and the storage is read meanwhile. */
    quickWrites: 32,
    /** Bytes that a download may send beyond RATE_LIMIT_BYTES, so that a small file is completed. */
    overdraft: 65_536,
    /** Bytes that a storage may send ahead of the client before they are charged: the capacity of the buffers. */
    readAhead: 131_072,
    /** Bytes that a throttled download still sends, so that no proxy closes the connection. */
    keepAlive: 1024,
    /** Milliseconds between these keep-alive bytes: proxies close connections that are idle for a minute. */
    keepAliveInterval: 15_000,
    /** Milliseconds after which sent bytes are written to the database. */
    flushInterval: 500,
    /** Milliseconds after which an exhausted budget is checked again, unless its window ends earlier. */
    recheckInterval: 5_000,
    /** Bytes that a download of unknown length reserves in its consumer's daily limit. */
    reservation: 16_777_216,
  },
  ledger: {
    /** Rows in the queue of deliveries and fees, of about half a kilobyte each. Further rows are dropped and counted. */
    queue: 20_000,
    /** Rows of each kind per write: a few milliseconds of the embedded database. */
    batch: 256,
    /** Maximum milliseconds of a row in the queue while the database answers. A crash loses the queue. */
    flushInterval: 3_000,
    /**
     * Deliveries of the last hour in memory, of about a kilobyte each, that ranges are added to. For a range of an evicted one, the
     * database knows if its delivery is counted.
     */
    openDeliveries: 10_000,
    /** Cached fees that are recorded already. Recording an evicted fee again has no effect. */
    knownFees: 10_000,
    /** Milliseconds between purges of rows older than DELIVERIES_KEEP. */
    purgeInterval: 3_600_000,
    /** Rows of each kind per deletion. */
    purgeBatch: 500,
    /** Milliseconds between deletions. */
    purgePause: 50,
    /** Tokens of a report whose decimals are requested. A provider has a few. */
    reportTokens: 100,
  },
  queues: {
    /** Milliseconds for which an instance has the items of a batch to itself. */
    lease: 60_000,
    /** Milliseconds between attempts to send an item: first and longest. */
    backoff: { first: 1_000, longest: 3_600_000 },
  },
  orders: {
    /** Milliseconds for which a transaction is cached that a reorg could still drop. */
    unfinalized: 600_000,
  },
  accounts: {
    /** Rows whose keys are read at once to remove an account from a table. */
    rows: 20_000,
  },
  webhooks: {
    /** Milliseconds of one attempt, from the connection to the end of the answer. */
    deadline: 10_000,
    /** Bytes of an answer that are read, so that the connection can be used again. The rest is not. */
    answer: 16_384,
    /** Milliseconds after which an event is given up, and for which orders are reported after a pause of the service. */
    age: 259_200_000,
    /** Events that wait, of about a kilobyte each. The oldest of more are given up. */
    waiting: 10_000,
    /** Milliseconds between two looks for events that are too old. */
    expiryInterval: 60_000,
    /** Characters of each secret of WEBHOOK_SECRET, at least. */
    secret: 32,
  },
  transfer: {
    /** Milliseconds to connect to a database for a copy, backup or restore. */
    connectTimeout: 10_000,
    /** Milliseconds for one statement of a copy, a backup or a check: counting a large table takes seconds. */
    statementTimeout: 600_000,
    /** Milliseconds to wait for an embedded database that is locked. */
    locked: 5_000,
    /** Rows of the first batch of a table, and minimum of each batch: one row may have a document of a megabyte. */
    firstRows: 20,
    /** Maximum rows of a batch. Larger batches are not faster. */
    rows: 500,
    /** Characters of a batch, estimated by the largest row so far. */
    size: 4_194_304,
    /** Keys per query for deleted rows. Databases accept about a thousand alternatives. */
    keys: 200,
    /** Rows of a pass below which an online copy asks to stop the source: the last pass then takes seconds. */
    caughtUp: 1_000,
    /** Passes before an online copy asks to stop the source in any case: a busy source never becomes quiet. */
    passes: 5,
    /** Milliseconds between checks whether the source of an online copy is stopped. */
    stopPollInterval: 500,
    /** Milliseconds between passes of an online copy while it waits for the stop. */
    passInterval: 30_000,
  },
  nonces: {
    /** Digits of a nonce, whole part and fraction together. Microseconds since 1970 have 16. */
    digits: 40,
    /** Milliseconds for which an instance caches the cut-over time. An import takes effect after that. */
    cutOverFresh: 5_000,
    /** Cached nonces of accounts and contract wallets. An evicted one costs a query. */
    cached: 100_000,
  },
  signers: {
    /** Signatures of one tick from which the thread recovers them: it costs the event loop 12 µs, a signature 60. */
    minBatch: 2,
    /** Maximum signatures in the thread: 15 ms of work. The event loop recovers further ones. */
    inThread: 256,
    /** Milliseconds without signatures after which the thread ends. After a failure, the next signature starts it again. */
    idle: 30_000,
    /** Accounts whose form of the signed message is remembered: each other form costs a recovery. */
    accounts: 10_000,
  },
  mcp: {
    /** Bytes of a message to /mcp. Tool calls have a few hundred. */
    body: 65_536,
    /** Bytes of the result of a tool, as a structure and again as text: 64 KiB with the envelope. Models read all of it. */
    result: 64_000,
    /** Milliseconds for a tool of /mcp. Clients wait for a minute by default. */
    deadline: 45_000,
    /** Assets of a page; services, files, tags and prices of an asset; orders. */
    listed: { assets: 10, services: 10, files: 20, tags: 10, amounts: 4, orders: 20 },
    /** Services of an asset whose files are described, and how many at once. */
    described: { services: 50, atOnce: 4 },
    /** Index of a file, at most: a service has 10,000 files. */
    lastFile: 9_999,
    /** Characters of a stranger's name. */
    line: 120,
    /** Characters of a description, in lists and of one asset. */
    description: { short: 280, long: 4_000 },
    /** Bytes of a sample that `preview` reads and shows. */
    preview: 20_480,
    /** Characters of an error message. */
    message: 600,
  },
  links: {
    /**
     * Characters of the grant in a download link, with the longest service id, userdata and session. Most have 300; URLs of
     * 8,000 characters pass everywhere.
     */
    grant: 6_656,
    /** Characters of userdata in a download link, as JSON. Dates and names have a few dozen. */
    userdata: 512,
    /** Characters of policyServer in a download link, as JSON. The id of a session has 129. */
    policyServer: 512,
    /** Milliseconds in which a storage may tell the name that a link ends with: people wait for the link. */
    naming: 3_000,
  },
  console: {
    /** Files of the built console. It has a few dozen. */
    files: 1_000,
    /** Bytes of all console files in memory. The console has less than two million. */
    size: 33_554_432,
    /** Bytes of OPERATOR_LOGO. */
    logo: 262_144,
    /** Bytes of OPERATOR_LOGO in which the element of an SVG is looked for. */
    logoHead: 4_096,
    /** Characters of Accept and Accept-Encoding that are parsed. Browsers send a hundred. */
    accept: 1_024,
  },
  commands: {
    /** Bytes of an answer to `tidegate doctor`, and of the running service to `tidegate health`. */
    answers: { doctor: 1_048_576, health: 65_536 },
    /** Milliseconds for the answer to `tidegate health`. */
    health: 3_000,
  },
  tokens: {
    /** Cached claims of valid tokens, each of some hundred bytes. */
    cached: 10_000,
    /** Milliseconds by which the issue time of a sign-in message may be ahead of this clock. */
    issuedAhead: 300_000,
    /** Seconds for which a revocation is stored after the expiry of its token: a fast clock must not revive the token. */
    retainedAfterExpiry: 604_800,
  },
} as const
