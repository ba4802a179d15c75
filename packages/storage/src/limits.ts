/** The limits of this package on untrusted input, each with its unit and reason. Settings are in the service. */
export const STORAGE_LIMITS = {
  files: {
    /** Storage objects of one service. A list of files checks each one. */
    count: 10_000,
    /** Characters of a URL: signed ones with a token in the query are shorter. */
    url: 16_384,
    /** Headers of a descriptor: more than any storage needs. */
    headers: 64,
    /** Characters of a header name: the longest registered ones have 50. */
    headerName: 128,
    /** Characters of a header value: as many as HTTP servers accept for all headers together. */
    headerValue: 8_192,
    /** Characters of a GraphQL or SQL query: long ones have some thousands. */
    query: 65_536,
    /** Parameters of an SQL query, and characters of a parameter name. */
    queryParameters: { count: 100, name: 128 },
    /** Characters of an S3 object key or credential: services allow keys of 1,024 bytes. */
    objectKey: 1_024,
    /** Characters of a CID: with a 64-byte hash it has 110. */
    cid: 128,
    /** Characters of all URLs in the cache of checked URLs. */
    urlCacheSize: 4_194_304,
    /** URLs in the cache of checked URLs. */
    urlCacheEntries: 1_000,
    /** Redirects of one request: storages send one or two, and a circle is endless. */
    redirects: 5,
    /** Cookies of one chain of redirects, characters of one as in browsers, and characters of all as in servers. */
    cookies: { count: 50, size: 4_096, total: 16_384 },
    /** Resumes of one transfer after breaks: each costs a request. */
    resumes: 5,
    /** Bytes of the status line and headers of a response. Storages behind sign-ins send 20 KiB of cookies and policies. */
    responseHead: 65_536,
    /** Bytes of a file name in UTF-8: file systems allow 255, including the suffix of a partial download. */
    name: 200,
    /** Characters of a suggested name that are read. */
    rawName: 4_096,
    /** Characters of a media type: the longest registered ones have 80. */
    mediaType: 128,
  },
  ipfs: {
    /** Queued links of a file: a block contains 50,000 at most, honest ones a few hundred. */
    pending: 200_000,
    /** Links of one block: as many CIDs of 32 bytes as fit into it. */
    links: 65_536,
    /** Bytes of one block: the limit of IPFS itself. */
    block: 2_097_152,
    /** Bytes of blocks that may be fetched beyond the requested bytes: inner nodes of the tree, and partly used blocks at both ends. */
    overhead: 8_388_608,
    /** Bytes of blocks that may be fetched per byte delivered: honest trees need 1.01 or 1.02. */
    factor: 2,
    /** Minimum bytes charged for a block, so that the budget also limits the number of requests. */
    minBlockCost: 1024,
    /** Bytes of a CAR header, which is skipped: it lists one or two roots. */
    carHeader: 4096,
    /** Bytes of the pieces of a block, on average, below which many are joined by a copy. */
    piece: 4_096,
    /** Bytes of early or repeated blocks of a CAR that are held. Beyond this, blocks are fetched alone. */
    held: 8_388_608,
    /** Bytes of unneeded blocks of a CAR, in addition to a twentieth of the needed ones. Beyond this, the CAR is given up. */
    unwanted: 524_288,
    /** Bytes of blocks that may be fetched before the first byte is delivered. */
    readAhead: 16_777_216,
    /** Bytes of unverified blocks before further ones are read. */
    unverified: 4_194_304,
    /** Bytes from which a block is hashed in a thread. For a shorter one the hand-over takes longer than the hash. */
    hashedInPlace: 32_768,
    /** Bytes below which a block of a CAR is copied, since it would retain the buffer of its neighbours. */
    copied: 32_768,
    /** CARs of one download that may break after delivering bytes. Then blocks are fetched alone. */
    carResumes: 5,
    /** Milliseconds for which a gateway without CARs gets no request for one. */
    unableTimeToLive: 60_000,
    /** Milliseconds to wait for the end of a CAR after its last block. Then its connection is closed. */
    carEnd: 100,
  },
  cache: {
    /** Folders for the blocks of STORAGE_CACHE_DIR: each has some thousands at most. */
    shards: 64,
    /** Bytes that wait for the disk in one process. Further blocks are not stored. */
    writing: 33_554_432,
    /** Milliseconds without writes after the disk has failed or was full. */
    pause: 30_000,
    /** Milliseconds between two recorded uses of a block: the order of use matters over hours. */
    touchAfter: 60_000,
    /** Milliseconds after which a temporary file counts as abandoned. */
    staleAfter: 600_000,
  },
  receiving: {
    /** Bytes of one read from a plain connection. */
    chunk: 65_536,
    /** The same until the client has shown to be fast: a stream to a slow one holds one chunk. */
    slowChunk: 16_384,
    /** Milliseconds between two reads of a connection, from which on its client is slow. */
    slowAfter: 250,
    /** Successive reads without such a pause after which a client is fast: as much as the buffers of slow connections take at first. */
    quickReads: 32,
    /** Sent chunks that are kept for the next reads: as many as busy streams use at once. */
    freeChunks: 128,
  },
  describing: {
    /** Milliseconds for which the description of a published file is cached, for all callers. */
    timeToLive: 60_000,
    /** Milliseconds for which an unavailable file is cached, since it may recover soon. */
    failureTimeToLive: 5_000,
    /** Descriptions in the cache. */
    cacheEntries: 10_000,
    /** Characters of the keys and encrypted file lists of all cached descriptions. */
    cacheSize: 16_777_216,
    /** Files of one list that are described concurrently: one request must not fan out to many. */
    inFlight: 8,
    /** Bytes of a file that are read to describe it. A shorter file is read to its end, which shows its size, breaks and false codings. */
    sample: 65_536,
    /** Milliseconds after the first byte to wait for the rest of the sample. */
    sampleTime: 1_000,
    /** Milliseconds for a range request for the size of a long file that is sent without a length. */
    claim: 3_000,
    /** Bytes of a compressed file that show whether it was compressed once more for the transfer. */
    codedHead: 1_024,
  },
  headers: {
    /** Characters of an entity tag of a storage: servers send hashes and numbers, which are far shorter. */
    etag: 512,
    /** Characters of If-None-Match or If-Range: room for the maximum number of tags, as this service sends them. */
    condition: 8192,
    /** Tags in If-None-Match: no client has more copies of one file. */
    conditionTags: 10,
  },
  decoding: {
    /** Content codings of one body: honest servers apply one. */
    codings: 3,
    /** Bytes of memory for decoders, with an order and without one: about 30 Brotli, 60 Zstandard or 4,000 gzip decoders. */
    memory: { paid: 536_870_912, anonymous: 134_217_728 },
    /** Bytes of one decoded chunk. */
    chunk: 65_536,
    /** Consecutive bytes that decode to nothing: blocks of all codings are smaller. */
    silent: 1_048_576,
    /** Window of Zstandard as a power of two: 8 MiB, the maximum over HTTP (RFC 9659). */
    zstdWindowLog: 23,
  },
  dns: {
    /** Milliseconds for one look-up in total: half of the default connect time-out. */
    deadline: 5_000,
    /** Milliseconds before a query is retried or sent to the next name server: packets get lost. */
    attemptTimeout: 1_000,
    /** Attempts per name server, with growing time-outs, until the deadline. */
    attempts: 3,
    /** Milliseconds to wait for the IPv6 response after the IPv4 one, and vice versa: more than one retry takes. */
    otherFamilyGrace: 1_500,
    /** Look-ups in flight below one domain: more than an honest burst, and a small share of the total. */
    perDomain: 16,
    /** Look-ups in flight in total, each with a socket: more than DESCRIBE_MAX_REQUESTS allows without an order. */
    inFlight: 512,
    /** Used addresses of each family: no client tries more, and a response of 64 KiB contains thousands. */
    addresses: 8,
    /** Names in the cache, found or not. */
    cacheEntries: 2_000,
    /** Maximum milliseconds for which addresses are cached, whatever their time to live. */
    maxTimeToLive: 30_000,
    /** Milliseconds for which a failure is cached: a retry is cheap, and a repaired name works soon. */
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
    /** Nesting of tuples: compilers fail soon beyond. */
    depth: 8,
    /** Characters of a name: a decoded result repeats names for each element of a list. */
    name: 128,
    /** Dimensions of an array, fixed and dynamic ones together. */
    dimensions: 4,
    /** Elements of one fixed dimension. */
    length: 1024,
    /** Values of the inputs, or of the outputs, with one element per dynamic array: limits the product of fixed lengths. */
    values: 4096,
  },
  sql: {
    /** Characters of a cell from which quotes are doubled piece by piece: a regular expression blocks the event loop. */
    cell: 65_536,
    /** Bytes of all messages except rows: login, columns, notices. A table of 1,600 columns takes 150 KiB. */
    overhead: 262_144,
    /** Columns of a row: PostgreSQL's own limit for a result. */
    columns: 1664,
    /** Bytes of a column name. PostgreSQL allows 63, others a few more. */
    columnName: 1024,
    /** Bytes of a row, with an order and without one. */
    row: { paid: 8_388_608, anonymous: 1_048_576 },
    /** Rows per batch: few, since a server cannot be stopped within a batch. */
    rows: 16,
    /** Characters of a number, date or other short value, which libraries parse in quadratic time. */
    short: 128,
    /** Parsed characters of one row (all but text; arrays count four times): parsing blocks the event loop. */
    parsed: 1_048_576,
    /** Characters charged for a JSON key: objects with many keys are slow to build. */
    keyCost: 32,
    /** Values, keys and depth of JSON in one value. Deeply nested text is slow to parse. */
    json: { values: 250_000, keys: 32_768, depth: 200 },
  },
  graphql: {
    /** Bytes of an answer that are held until there is data: errors come first. */
    beforeData: 262_144,
  },
  ftp: {
    /** Bytes of all replies on one control connection. A session with a long greeting takes about 3 KiB. */
    replies: 65_536,
  },
} as const
