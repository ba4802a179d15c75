/**
 * Every limit on untrusted input that is not a setting: in size, in count and in time, each with its unit and reason.
 * Parsers and clients take their limits from here and nowhere else. Settings are in config/.
 */
export const BOUNDS = {
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
  files: {
    /** Storage objects of one service. Listing the files checks every one. */
    count: 1_000,
    /** Characters of a URL: signed ones with a token in the query are shorter. */
    url: 16_384,
    /** Headers of a descriptor: more than any storage needs. */
    headers: 64,
    /** Characters of a header name: the longest registered ones have 50. */
    headerName: 128,
    /** Characters of a header value: what HTTP servers accept for all headers together. */
    headerValue: 8_192,
    /** Characters of a query of GraphQL or SQL: long ones of people have some thousands. */
    query: 65_536,
    /** Parameters of an SQL query, and characters of the name of one. */
    queryParameters: { count: 100, name: 128 },
    /** Characters of an object key, or of a credential, of S3: services allow 1,024 bytes of a key. */
    objectKey: 1_024,
    /** Characters of a CID: those of 64-byte hashes have 110. */
    cid: 128,
    /** Characters of all URLs in the cache of checked URLs. */
    urlCacheSize: 4_194_304,
    /** URLs in that cache. */
    urlCacheEntries: 1_000,
    /** Redirects of one request: storages send one or two, and a circle has no end. */
    redirects: 5,
    /** Cookies of one chain of redirects, and characters of one and of all: what browsers keep of one, and servers accept of all. */
    cookies: { count: 50, size: 4_096, total: 16_384 },
    /** Times that one transfer is resumed after a break: each costs a request. */
    resumes: 5,
    /** Bytes of the status line and headers of a storage's response. Those behind sign-ins send 20 KiB of cookies and policies. */
    responseHead: 65_536,
    /** Bytes in UTF-8 of the name that a file is saved by: file systems allow 255, with what clients append while they write. */
    name: 200,
    /** Characters of a name of a storage that are looked at. */
    rawName: 4_096,
    /** Characters of a media type: the longest registered ones have 80. */
    mediaType: 128,
  },
  quotes: {
    /** Seconds for which a quote is valid for an order: a day to pay, so that a raised fee takes effect within a day. */
    lifetime: 86_400,
  },
  clock: {
    /** Seconds by which the clock may differ from the heads of a chain before quotes are refused: far less than a quote's day. */
    tolerance: 600,
    /** New heads, all equally old when they arrive, that prove a fast clock. */
    arrivals: 3,
    /** Seconds that they must span: a node that catches up delivers ever younger ones meanwhile. */
    span: 20,
    /** Seconds by which the times of honest blocks may be inexact. */
    slack: 5,
    /** Seconds for which the last head of a node counts: one that has not answered for longer tells nothing. */
    remembered: 600,
  },
  ipfs: {
    /** Links of a file that are queued but not yet fetched: a block holds 50,000 at most, honest ones a few hundred. */
    pending: 200_000,
    /** Links of one block: more CIDs of 32 bytes do not fit into it. */
    links: 65_536,
    /** Bytes of one block: the limit of IPFS itself. */
    block: 2_097_152,
    /** Bytes of blocks that may be fetched beyond the requested bytes: inner nodes of the tree, and the rest of the blocks at both ends. */
    overhead: 8_388_608,
    /** Bytes of blocks that may be fetched per byte delivered: honest trees need 1.01 or 1.02. */
    factor: 2,
    /** Minimum bytes charged for a block, so that this budget bounds the number of requests as well. */
    minBlockCost: 1024,
    /** Bytes of the header of a CAR, which is skipped: it lists a root or two. */
    carHeader: 4096,
    /** Bytes of blocks of a CAR that came before their turn, or that may occur again. Further ones are fetched alone. */
    held: 8_388_608,
    /** Bytes of blocks of a CAR that the file does not need, beside a twentieth of those that it does. Beyond, the CAR is given up. */
    unwanted: 524_288,
    /** Bytes of blocks that may be fetched before the first byte is delivered, where so many are asked for. */
    readAhead: 16_777_216,
    /** Bytes of blocks that are read ahead while the ones before them are verified. */
    unverified: 4_194_304,
    /** Blocks from so many bytes on are hashed in a thread if they are there as a whole: handing over a shorter one takes longer than its hash. */
    hashedInPlace: 32_768,
    /** Blocks of a CAR with fewer bytes are copied out of what arrived with them, which they would retain. */
    copied: 32_768,
    /** CARs of one download that may break after they have delivered something, before its blocks are fetched alone. */
    carResumes: 5,
    /** Milliseconds for which a gateway that makes no CARs is not asked for one. */
    unableTimeToLive: 60_000,
    /** Milliseconds to wait for the end of a CAR whose last block has arrived. Otherwise its connection is closed. */
    carEnd: 100,
  },
  cache: {
    /** Folders that the blocks of STORAGE_CACHE_DIR are spread over: each holds some thousands at most. */
    shards: 64,
    /** Bytes that wait for the disk in one process. Further blocks are not stored. */
    writing: 33_554_432,
    /** Milliseconds for which nothing is stored after the disk has failed or was full. */
    pause: 30_000,
    /** Milliseconds after which another use of a block is noted: order of use matters over hours. */
    touchAfter: 60_000,
    /** Milliseconds after which a temporary file belongs to no process that still writes it. */
    staleAfter: 600_000,
  },
  describing: {
    /** Milliseconds for which the description of a published file is cached, for all callers. */
    timeToLive: 60_000,
    /** Milliseconds, the same for an unavailable file, which may recover soon. */
    failureTimeToLive: 5_000,
    /** Descriptions in the cache. */
    cacheEntries: 10_000,
    /** Characters of the cached descriptions’ keys and of the encrypted file lists that they are valid for, in total. */
    cacheSize: 16_777_216,
    /** Files of one list that are described concurrently: one request must not fan out to many. */
    inFlight: 8,
    /** Bytes of the beginning of a file that are read. A shorter file is read to its end: its size is counted, and a break or a false coding is seen. */
    sample: 65_536,
    /** Milliseconds after the first byte for which the rest of that beginning is waited for. */
    sampleTime: 1_000,
    /** Milliseconds for a range request that asks for the size of a longer file which is sent without a length. */
    claim: 3_000,
    /** Bytes of a compressed file that show whether it was compressed once more for the transfer. */
    codedHead: 1_024,
  },
  headers: {
    /** Characters of an entity tag of a storage: servers send hashes and numbers, far shorter than this. */
    etag: 512,
    /** Characters of If-None-Match or If-Range: room for the maximum number of tags, as this service sends them. */
    condition: 8192,
    /** Tags in If-None-Match: no client has more copies of one file, and each costs a few microseconds. */
    conditionTags: 10,
  },
  decoding: {
    /** Content codings of one body: honest servers apply one. */
    codings: 3,
    /** Bytes of memory for decoders, with an order and without one: about 30 of Brotli, or 60 of Zstandard, or 4,000 of gzip. */
    memory: { paid: 536_870_912, anonymous: 134_217_728 },
    /** Bytes of one decoded chunk. */
    chunk: 65_536,
    /** Bytes in a row that decode to nothing: blocks of all codings are smaller. */
    silent: 1_048_576,
    /** Window of Zstandard as a power of two: 8 MiB, the maximum over HTTP (RFC 9659). */
    zstdWindowLog: 23,
  },
  dns: {
    /** Milliseconds for one look-up in total, whatever its name servers do: half of the default connect time-out. */
    deadline: 5_000,
    /** Milliseconds before a query is retried, or sent to the next name server of the system: packets do get lost. */
    attemptTimeout: 1_000,
    /** Attempts per name server of the system, with growing time-outs, until the deadline. */
    attempts: 3,
    /** Milliseconds to wait for the IPv6 response once IPv4 has arrived, and vice versa: longer than one lost packet costs. */
    otherFamilyGrace: 1_500,
    /** Look-ups in flight below one domain: more than an honest burst, and a small share of the total. */
    perDomain: 16,
    /** Look-ups in flight in total, each with a socket: more than the requests that are allowed without an order (DESCRIBE_MAX_REQUESTS). */
    inFlight: 512,
    /** Addresses used of each family: no client tries more, and a response of 64 KiB holds thousands. */
    addresses: 8,
    /** Names in the cache, found or not. */
    cacheEntries: 2_000,
    /** Milliseconds for which addresses are cached at most, however long their time to live. */
    maxTimeToLive: 30_000,
    /** Milliseconds for which a failure is cached: a retry is cheap, and a repaired name soon works. */
    failureTimeToLive: 5_000,
    /** Characters of a name (RFC 1035). */
    name: 253,
    /** Characters of one label of a name (RFC 1035). */
    label: 63,
    /** Bytes read of the hosts file; the rest is ignored. */
    hostsFile: 1_048_576,
    /** Milliseconds between checks of the hosts file for changes. */
    hostsFileRefresh: 5_000,
  },
  destinations: {
    /** Milliseconds after which the machine's own addresses are read again: interfaces come and go. */
    ownAddressesRefresh: 5_000,
  },
  abi: {
    /** Characters of a type: longer than any within the bounds. */
    type: 64,
    /** Inputs, outputs and components in total: the largest functions in use have about fifty. */
    parameters: 256,
    /** Nesting of tuples: compilers themselves fail soon after. */
    depth: 8,
    /** Characters of a name: a decoded result repeats names for every element of a list. */
    name: 128,
    /** Dimensions of an array, fixed and dynamic ones together. */
    dimensions: 4,
    /** Elements of one fixed dimension. */
    length: 1024,
    /** Values of the inputs, or of the outputs, with one element in every dynamic array: bounds the product of all fixed lengths. */
    values: 4096,
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
  receipts: {
    /** Milliseconds between the first two requests for a transaction that no node knows yet; the backoff doubles with each retry. */
    firstBackoff: 250,
    /** Milliseconds of backoff at most: a mined transaction is found this much later at worst. */
    maxBackoff: 2_000,
    /** Milliseconds between polls of the index's progress, which is in memory, for a waiting caller. */
    indexPoll: 50,
    /** Transactions that are polled concurrently, and callers that wait for the index; any further one gets a single request. Honest ones are found by the first. */
    waiting: 256,
    /** Transactions cached as not found, or as no order. */
    missCacheEntries: 10_000,
    /** Distinct orders that the reuse events of one transaction may refer to. One is usual; each costs a request. */
    reused: 32,
  },
  contract: {
    /** Gas of a call: below the block limit of every network; bounds time and memory of the node. */
    gas: 10_000_000,
    /** Bytes of the call data: as much as userdata of the maximum length can encode to. */
    call: 131_072,
    /** Bytes of a signature that a contract wallet verifies: each owner takes 65, or somewhat more if the owner is a contract too. */
    signature: 4096,
    /** Bytes of a call result that is a file or a token URI (which may hold the data itself), and of what it decodes to. */
    result: 262_144,
    /** Decoding steps through the values of such a result and their types: about 16 per word, a microsecond each. */
    steps: 131_072,
    /** Small results are decoded on the event loop, larger ones in a thread: the size of a small one, and its decoding limits. */
    small: { bytes: 1024, result: 16_384, steps: 4_096 },
    /** Bytes of a call result that is a number, an address, or a list of them. */
    view: 16_384,
    /** Bytes of the call result for a token's symbol, which is shown beside a price. */
    symbol: 1024,
    /** Characters of a token's name or symbol. */
    tokenName: 128,
    /** Names and symbols of tokens in the cache: about a kilobyte each at most. */
    tokenNames: 10_000,
    /** Milliseconds after which a token without a name is queried again. */
    namelessFor: 60_000,
    /** Datatokens of an asset, tokens whose names are looked up at once, and offers of a datatoken, whose price is requested. */
    offers: 16,
    /** Bytes of the cache of owners, token URIs and prices. */
    cacheSize: 33_554_432,
    /** Memberships of access lists in the cache: about 300 bytes each. */
    memberships: 20_000,
    /** Bytes of the call result of an access list: the number of tokens that an account holds. */
    balance: 32,
  },
  chain: {
    /** Bytes of a response of a node, parsed within 50 ms. Blocks with more are requested in smaller parts, down to one contract. */
    response: 8_388_608,
    /** Values, keys and depth of a response: twice the values and keys that so many bytes of events have. Empty objects would make millions. */
    shape: { values: 500_000, keys: 400_000, depth: 32 },
    /** Characters of all events that were read ahead and wait for their turn: what exceeds it is dropped, and requested again in its turn. */
    ahead: 8_388_608,
    /** Receipts per batch request, where a block is read transaction by transaction. */
    receipts: 25,
    /** Contracts per log request, where a block is read contract by contract: some nodes accept no more. */
    emitters: 250,
    /** Contracts looked up by one database statement. */
    known: 500,
    /** Characters of the name or the symbol of a contract, which is cut there: anybody deploys contracts with names of megabytes, and a document repeats them for each service. */
    name: 256,
    /** Characters of a token URI, which is left out beyond: honest ones are data URIs of a few kilobytes. */
    tokenUri: 65_536,
    /** Seconds since 1970 of a block timestamp: the end of the year 9999, the last one with an ISO 8601 form of four digits. */
    time: 253_402_300_799,
    /** Milliseconds after which a node is asked again for what it refused: at first, and at most. Each refusal doubles them. */
    abilities: { first: 10_000, longest: 3_600_000 },
    /** Milliseconds of a pause that a node asks for after too many calls: a longer one is cut to this. */
    retryAfter: 300_000,
    /** Characters of a node's error message that are searched for a rate limit. */
    errorText: 2000,
    /** HTTP requests in flight at once for the calls of one batch that a node does not take as one. */
    parts: 4,
    /** Changes of the index after which a batch is committed at the end of the block, and after twice as many inside the block. Other writes to the embedded database wait meanwhile, for about 40 ms. */
    changes: 400,
    /** The same in changed assets: writing one with its search rows takes 0.5 to 0.8 ms. */
    assets: 48,
    /** The same in characters of documents and their search rows: a small event may carry a document of a megabyte. */
    documents: 524_288,
    /** Estimated characters of documents that are decoded before their turn. */
    decoded: 8_388_608,
    /** Characters that a change of an asset counts for if its document is not among the changes: its search rows are written anew. */
    change: 8_192,
    /** Rows that one transaction of a rollback restores, and characters of their documents after which it ends. */
    restored: { rows: 32, characters: 262_144 },
    /** Characters of documents whose search rows one transaction writes anew. Search rows of other documents are written later. */
    refreshed: 1_048_576,
    /** Requests for the newest metadata of one asset, while the index is stale: halves of a range that a node refuses. */
    newest: 64,
  },
  sql: {
    /** Bytes of everything but rows that a server sends: login, columns, notices. A table of 1,600 columns takes 150 KB of it. */
    overhead: 262_144,
    /** Columns of a row: the limit of PostgreSQL itself for a result. */
    columns: 1664,
    /** Bytes of a column name. PostgreSQL allows 63, others a few more. */
    columnName: 1024,
    /** Bytes of a row, with an order and without one. Anything larger is a file, not a row. */
    row: { paid: 8_388_608, anonymous: 1_048_576 },
    /** Rows per batch: few, since a server cannot be stopped within a batch. */
    rows: 16,
    /** Characters of a number, a date or another short value, which libraries parse in quadratic time. */
    short: 128,
    /** Characters of one row that have to be parsed (all but text; arrays count four times): parsing blocks the event loop. */
    parsed: 1_048_576,
    /** Characters that a JSON key is charged among those: 32,768 keys take some 30 ms of the event loop. */
    keyCost: 32,
    /** JSON in one value. Parsing deeply nested text takes several times as long as flat text. */
    json: { values: 250_000, keys: 32_768, depth: 200 },
  },
  graphql: {
    /** Bytes of an answer that are looked at, and held, until there is data in it: errors come first. */
    beforeData: 262_144,
  },
  ftp: {
    /** Bytes of all replies on one control connection. A session takes about 3 KB, including a long greeting. */
    replies: 65_536,
  },
  body: {
    /** Bytes of a JSON body. The longest honest one is a token with its signature, of a few kilobytes. */
    json: 65_536,
    /** Bytes of the body of fileinfo: a storage object may hold an ABI or a query of 64 KiB, escaped. */
    fileinfo: 262_144,
    /** Commas and brackets of any JSON body: an ABI of 64 KiB has about five thousand. */
    values: 10_000,
    /** Keys of any JSON body: the same ABI has two thousand. */
    keys: 5000,
    /** Nesting of any JSON body: a storage object with an ABI needs eight. */
    depth: 32,
    /** Bytes of an encrypted body that are encoded as hex in one turn of the event loop: ten megabytes take a tenth of a second. */
    hexChunk: 262_144,
    /** Problems reported for one request: no client fixes more at once, and a list of thousands costs seconds. */
    problems: 10,
  },
  document: {
    /** Commas and brackets of a document: lists of credentials are the longest part of honest ones. */
    values: 50_000,
    /** Keys of a document: keeps parsing below 20 ms. Large honest ones have a thousand. */
    keys: 5000,
    /** Nesting of a document: policies in credentials of version 5 need twelve. */
    depth: 32,
    /** Characters of a stored document that is parsed on the event loop, within a few milliseconds. Longer ones are parsed in a thread. */
    short: 16_384,
    /** Entries of `@context`: honest documents have one or two. */
    context: 100,
    /** Services of an asset: the schemas of publishing libraries allow 64. */
    services: 100,
    /** Entries of one list of credentials: the schemas allow 64. */
    credentials: 100,
    /** Entries of all lists of credentials together. */
    credentialEntries: 1000,
    /** Values of all credentials together: preparing them takes a few milliseconds. */
    credentialValues: 10_000,
    /** Access lists of all credentials together: each may cost a node request, and honest documents name one or two. */
    accessLists: 16,
    /** consumerParameters of a service: the schemas allow 64. */
    consumerParameters: 100,
    /** Options of one consumerParameter: a list of the world's countries has 250. */
    options: 1000,
    /** Characters of an id, a type, or another name: the schemas allow 256, and no route accepts a longer one. */
    name: 512,
    /** Characters of a value that a thread hands back to be refused: enough to show that it is too long. */
    refused: 10_000,
    /** Characters of the list of services that is stored beside a document. Those of longer lists are parsed with it. */
    storedServices: 4_096,
    /** Characters of a service endpoint: the schemas allow 2048. */
    endpoint: 2048,
    /** Characters of encrypted files as hex, for 256 KiB of locations: the schemas allow 8192. */
    files: 524_288,
    /** Bytes of a document to which MAX_DDO_INFLATION does not apply: 60 equal services of a test compress 90 times. */
    inflated: 131_072,
    /** Bytes that encryption and an incompressible container may add to MAX_DDO_SIZE. */
    overhead: 65_536,
    /** Problems reported for one document, for the same reason as for one request. */
    problems: 10,
    /** Bytes of the assets that were read from the chain while the index is behind. */
    staleCache: 33_554_432,
    /** Bytes of the assets that one metadata cache has helped to find. */
    remoteCache: 33_554_432,
  },
  /** The options of a consumerParameter that are JSON text: a list of objects with one key each. */
  optionsText: {
    /** Characters: a list of the world's countries has ten thousand. */
    length: 16_384,
    /** Commas and brackets: two for each of a thousand options. */
    values: 2001,
    /** Keys: one for each option. */
    keys: 1000,
    /** Nesting: the list and its objects, and room for labels by language. */
    depth: 4,
  },
  stop: {
    /** Milliseconds for what is still in flight after the transfers (node requests, proofs of delivery); then it is abandoned. */
    grace: 1000,
    /** Milliseconds to wait for the first request of a connection that was accepted before the service stops. */
    firstRequest: 3000,
  },
  lease: {
    /** Milliseconds after its last renewal at which a lease expires: another instance leads within 15 s. */
    duration: 10_000,
    /** Milliseconds between renewals: three may be lost. */
    renewInterval: 2500,
    /** Milliseconds for each renewal; then the connection is replaced. */
    statementTimeout: 5000,
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
  legacy: {
    /** Bytes of one value that `tidegate import` reads: a nonce has 20, and no URL could contain many more. */
    value: 1024,
  },
  links: {
    /** Characters of the grant in a download link, with the longest service id and userdata: URLs of 8,000 characters pass everywhere. Usual ones take 300. */
    grant: 4608,
    /** Characters of userdata in a download link, as JSON: dates and names take a few dozen. */
    userdata: 512,
  },
  console: {
    /** Files of the built console: it has a few dozen. */
    files: 1_000,
    /** Bytes of all of them, which are held in memory: it has less than two million. */
    size: 33_554_432,
    /** Characters of Accept and Accept-Encoding that are looked at: browsers send a hundred. */
    accept: 1_024,
  },
  hosting: {
    /** Files of one publisher, complete or not. Each is a row; the bytes have a setting. */
    files: 10_000,
    /** Characters of an Idempotency-Key: more than twice a UUID. */
    idempotencyKey: 128,
    /** Characters of what a client says about a file: its name and type take a hundred. */
    metadata: 4096,
    /** Bytes that an upload must bring in every HOSTING_STALL_TIMEOUT: 1 KiB/s by default, slower than any line that files are sent over. */
    steady: 65_536,
    /** Bytes after which an upload in flight is made durable and acknowledged: after a crash as many are sent again. */
    checkpoint: 16_777_216,
    /** Milliseconds between two of those: on a fast line, what has arrived meanwhile is sent again after a crash. */
    checkpointWait: 250,
    /** Bytes of an upload that are gathered for the disk. */
    batch: 262_144,
    /** Bytes of an upload that may wait for the disk. */
    uploadMemory: 2_097_152,
    /** Bytes that all uploads of one process may buffer for the disk; beyond that each has two batches. */
    batchMemory: 33_554_432,
    /** Milliseconds after which fewer are written: a slow connection takes long to bring as many. */
    batchWait: 20,
    /** Bytes after which the disk begins to sync an upload, so that little is left to do when it is to be acknowledged. */
    syncAhead: 4_194_304,
    /** Bytes of a hosted file that are read from the disk at once. */
    read: 262_144,
    /** Pieces of memory for that which are kept to be used again. */
    readsKept: 32,
    /** Bytes of a part of an upload to S3: files are stored in parts of this size, which are held in memory one at a time. It must not be below 5 MiB. */
    s3Part: 8_388_608,
    /** Parts of a file on S3, which allows 10,000. A larger file has larger parts; the rest is for parts that are sent again. */
    s3Parts: 5_000,
    /** Bytes of one part at most: with the number of parts, it limits HOSTING_MAX_FILE on S3. */
    s3PartMax: 67_108_864,
    /** Objects that hold what has arrived of a part: with more, they are made one. */
    s3Pieces: 32,
    /** Bytes of memory for parts that are on their way to S3, of one process: 32 concurrent uploads; further ones wait for each other. */
    s3Memory: 268_435_456,
    /** Milliseconds for which an upload waits for that memory. */
    s3MemoryWait: 15_000,
    /** Milliseconds in which an upload must fill a part, if others wait for its memory; otherwise its request ends with what has arrived. */
    s3MemoryHold: 8_000,
    /** Requests to S3 in flight, of one process. Each download and each part is one. */
    s3Connections: 256,
    /** Milliseconds to connect to S3. */
    s3Connect: 5_000,
    /** Milliseconds without a byte from S3: assembling a large file takes a while. */
    s3Silence: 60_000,
    /** Bytes of an answer of S3 that is not a file: a thousand keys take half a megabyte. */
    s3Answer: 4_194_304,
    /** Milliseconds for which the lock of a writer holds without being renewed. */
    lease: 10_000,
    /** Milliseconds between renewals, each of which learns whether somebody waits for the lock. */
    leaseRenewal: 1_000,
    /** Milliseconds for which a request waits for the lock of another writer, who is asked to give it up at once. */
    lockWait: 15_000,
    /** Milliseconds that a writer has to end after that. */
    lockDrain: 500,
    /** Milliseconds between attempts to get a lock. */
    lockPoll: 100,
    /** Uploads whose hash is in memory. That of any other is made again from what is there. */
    hashes: 1000,
    /** Files of one page of a list: for each the index is asked. */
    page: 100,
    /** Recorded uses of one file that are looked at. One with more is kept, since it may be used by any of the others. */
    uses: 1000,
    /** Ids that are looked up in the database at once. */
    known: 100,
    /** Milliseconds between two sweeps for expired files. */
    sweepInterval: 60_000,
    /** Milliseconds between two looks for what crashes have left in the bucket: it lists all unfinished uploads. */
    tidyInterval: 3_600_000,
    /** Files of each kind that one look deletes. */
    sweepBatch: 100,
    /** Characters of a files object in which hosted files are looked for when it is encrypted: a thousand of them. */
    filesObject: 262_144,
  },
  tokens: {
    /** Milliseconds by which a sign-in message may have been issued ahead of this clock. */
    issuedAhead: 300_000,
    /** Seconds for which a revocation is stored after the token has expired: a clock that was ahead must not revive the token. */
    retainedAfterExpiry: 604_800,
  },
  sandbox: {
    /** Threads of one process: two, so that one slow document does not hold up the others. */
    threads: 2,
    /** Milliseconds of processor time for one task, including the start of its thread: an honest one takes ten, with a new thread 500. */
    deadline: 10_000,
    /** Documents of one task while the index catches up, their estimated characters, and milliseconds of processor time: if such a batch fails, its documents are read one by one. */
    batch: { documents: 8, size: 2_097_152, deadline: 2_500 },
    /** Milliseconds after which an idle thread is stopped, which frees its memory. */
    idleTimeout: 30_000,
    /** Tasks that wait for a thread: with more, callers would time out first. */
    queue: 64,
    /** MiB of the heap of one thread: an honest document takes ten. */
    memory: 128,
    /** MiB of the young generation of one thread. */
    youngGeneration: 16,
    /** MiB of the stack of one thread, the default. */
    stack: 4,
  },
  outbound: {
    /** Bytes of a response of a service that the operator has named: purgatory lists are the longest. */
    response: 16_777_216,
    /** Bytes that a metadata cache may answer beside twice MAX_DDO_SIZE: what it adds to the document, and how it writes it. */
    added: 1_048_576,
  },
  search: {
    /** Bytes of the body of a search: a list of a thousand DIDs, twice over. */
    body: 262_144,
    /** Nesting of clauses, and of parentheses in a query string. Front ends send four. */
    depth: 8,
    /** Clauses of a query in total. Front ends send a dozen. */
    clauses: 256,
    /** Look-ups of words: one per word and field. Honest searches have four dozen. */
    lookups: 1024,
    /** Values of one list of terms or ids: a page of the maximum size, and more. */
    terms: 2048,
    /** Characters of a text in a query. */
    text: 4096,
    /** Characters of the name of a field: longer than any searchable path of a document. */
    path: 512,
    /** Fields of one text clause, of a sort, and of `_source`. */
    fields: 64,
    /** The maximum weight or boost, and the fractions of a point that are distinguished. */
    weight: { most: 1000, parts: 1000 },
    /** Hits of one page, and the last hit that a page may reach: the same as Elasticsearch without a cursor. */
    page: { most: 1000, reach: 10_000 },
    /** Hits that are counted; if there are more, the response says so. */
    counted: 10_000,
    /** Characters of the documents of one page that are read in one snapshot. Further ones are read while the answer is sent. */
    documents: 2_097_152,
    /** Bytes of a document that is read by itself, and parsed in a thread, while the answer is sent. Honest ones have five to thirty thousand. */
    long: 65_536,
    /** Characters of longer documents in one answer: beyond, and of assets in purgatory, they are shortened. */
    longDocuments: 16_777_216,
    /** Characters of a shortened document, and of a text in it. */
    shortened: { size: 16_384, text: 512 },
    /** Characters of the cache of shortened documents: some thousands. */
    keptShortened: 8_388_608,
    /** Long documents of answers that are parsed at once, of the threads of `sandbox`, and answers that wait for one. */
    parsed: { atOnce: 1, queue: 256 },
    /** Documents that are read by one statement while an answer is sent. */
    ahead: 16,
    /** Characters of an answer up to which it is sent as a whole; a longer one is written document by document. */
    whole: 262_144,
    /** Datatokens of an NFT in a list, and with its search rows. A document has at most 100 services. */
    datatokens: 500,
    /** Hits of a page whose owner and price are read from the chain: more than a page of a front end. */
    facts: 50,
    /** Hits for which that happens concurrently. */
    factsInFlight: 8,
    /** Milliseconds to wait for all of it. */
    factsDeadline: 1_000,
    /** Aggregations of a search, including nested ones, and fields of a sort. Front ends send two. */
    aggregations: 8,
    /** Pairs of a bucket and a nested value that are counted: beyond, an aggregation of everything by everything takes seconds. */
    pairs: 20_000,
    /** Parts of a score: each costs a look-up with the whole query. Front ends send a dozen. */
    scoreParts: 64,
    /** Buckets of one aggregation: a front end requests a thousand tags. */
    buckets: 1000,
    /** Characters of one statement with its search terms: three times a body full of values. */
    statement: 1_048_576,
    /** Milliseconds for one search, including the time in the queue. */
    deadline: 5_000,
    /** Concurrent searches of one process in the embedded database: a slow one does not block the others. */
    connections: 3,
    /** Queued searches: more would wait longer than their senders do. */
    queue: 64,
    /** Characters of cached results, kept until the index changes: a few hundred pages of a front end. */
    kept: 16_777_216,
    /** The same of assets that were hits, which are on many pages: a few thousand usual ones. */
    keptAssets: 16_777_216,
    /** Searchable values of a document, those of its index entry first. Large honest documents have 300. */
    values: 1000,
    /** Searchable words of a document; the longest texts are truncated. A long article has 3,000. */
    words: 4000,
    /** Characters of one text of a document that are split into words. */
    read: 65_536,
    /**
     * Characters of a document's search rows: so many in any case, since the transaction of the shortest document costs as
     * much as 4,000 bytes, so many for each byte of the document in compressed form, which is what its publisher paid for, and
     * no more. An ordinary document has 10,000, an article of 3,000 words 100,000.
     */
    rows: { least: 98_304, perByte: 40, most: 524_288 },
    /** Positions of one word in a document: PostgreSQL stores 256. */
    places: 250,
    /** Significant characters of a word. */
    word: 128,
    /** Vowel signs and tone marks of a letter in text without spaces: Khmer and Burmese have up to four. */
    marks: 4,
    /** Prefixes of up to so many characters have their own tokens, in texts of up to `value` characters. For longer prefixes, all words that begin with them are scanned. */
    beginning: 2,
    /** Longer prefixes of a search, counted per field: each costs a scan of its words. Front ends send four. */
    prefixes: 16,
    /** Characters of a text that can be matched as a whole value, sorted by or aggregated: the same as in Elasticsearch. */
    value: 256,
    /** Documents per batch when search rows are written in the background, and characters of them after which a batch ends. */
    built: { documents: 20, characters: 262_144 },
    /** Pages of SQLite's full-text index that are written at once when its parts are merged: a few milliseconds of the event loop. */
    merged: 32,
  },
} as const
