/**
 * The limits of this package on untrusted input: in size, in count and in time, each with its unit and reason. Settings are in
 * the service.
 */
export const STORAGE_LIMITS = {
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
    /** Bytes of blocks that may be fetched before the first byte is delivered, if so many are asked for. */
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
} as const
