/**
 * Every limit on what comes from outside that an operator need not set: in size, in count and in time, each with its
 * unit and its reason. Readers take their limits from here and nowhere else. What operators may set is in config/.
 */
export const BOUNDS = {
  http: {
    /** Requests of one connection in flight. Clients that pipeline at all send a few; further ones are refused, and twice as many cut. */
    pipelined: 16,
    /** Bytes of the request line and headers: the longest signature as hex, and room for userdata and a token beside it. */
    headers: 32_768,
    /** Connections above MAX_CONNECTIONS that are still taken, to be told so; further ones are closed without a word. */
    told: 1000,
    /** Milliseconds in which the headers of a request must arrive, as the wire contract says. */
    headersTimeout: 60_000,
    /** Milliseconds in which the last byte of a request must arrive: 10 MB over a slow line. */
    requestTimeout: 300_000,
    /** Milliseconds after which these two are looked at again. */
    timeoutCheck: 5_000,
    /** Addresses whose use of a budget is remembered. Older ones are evicted, which forgives them. */
    trackedAddresses: 100_000,
  },
  files: {
    /** Storage objects of one service. All are checked when the list is described. */
    count: 1_000,
    /** Characters of a URL: signed ones with a token in the query stay below. */
    url: 16_384,
    /** Headers of a descriptor: more than any storage asks for. */
    headers: 64,
    /** Characters of the value of a header: what HTTP servers accept in all. */
    headerValue: 8_192,
    /** Characters of the URLs that are remembered as checked, in all. */
    remembered: 4_194_304,
  },
  quotes: {
    /** Seconds after a quote in which an order may be made with it: a day to pay, and then a raised fee holds. */
    lifetime: 86_400,
  },
  ipfs: {
    /** Parts of a file that were named and not yet read: a block names 50,000 at most, honest ones a few hundred. */
    pending: 200_000,
    /** Parts that one block names: more CIDs of 32 bytes do not fit into it. */
    links: 65_536,
    /** Bytes of one block: the limit that IPFS itself keeps. */
    block: 2_097_152,
    /** Bytes of blocks that may be fetched beside the bytes that are asked for: the way to them, and what lies around. */
    overhead: 8_388_608,
    /** Bytes of blocks for each byte that was handed out: honest trees need one or two hundredths more than one. */
    factor: 2,
    /** Bytes that a block counts for at least: requests are bounded by this as well. */
    leastBlock: 1024,
  },
  describing: {
    /** Milliseconds for which what was found out about a published file is given again, whoever asks. */
    timeToLive: 60_000,
    /** Milliseconds, the same where the file could not be had: it may be back soon. */
    failureTimeToLive: 5_000,
    /** Descriptions that are kept. */
    kept: 10_000,
    /** Characters of the encrypted file lists that those are compared with, in all. */
    size: 16_777_216,
    /** Files of one list that are looked at at once: one request must not become many. */
    inFlight: 8,
  },
  headers: {
    /** Characters of an entity tag of a storage: servers write hashes and numbers, far shorter than this. */
    etag: 512,
    /** Characters of If-None-Match or If-Range: room for every tag that counts, in the form that is handed out. */
    condition: 8192,
    /** Tags in If-None-Match: nobody has more copies of one file, and each costs a few microseconds. */
    conditionTags: 10,
  },
  dns: {
    /** Milliseconds for one look-up in all, whatever its name servers do: half of the usual time to connect. */
    deadline: 5_000,
    /** Milliseconds before a question is sent again, or to the next name server of the system: packets do get lost. */
    attempt: 1_000,
    /** How often each name server of the system is asked, with growing pauses: until the deadline. */
    tries: 3,
    /** Milliseconds to wait for IPv6 once IPv4 is there, and the other way round: longer than one lost packet costs. */
    otherFamily: 1_500,
    /** Look-ups in flight below one domain: more than an honest burst, few of those in all. */
    perDomain: 16,
    /** Look-ups in flight in all, each with a socket: more than may be asked for without an order (DESCRIBE_MAX_REQUESTS). */
    inFlight: 512,
    /** Addresses used of each family: no client tries more, and an answer of 64 KiB holds thousands. */
    addresses: 8,
    /** Names whose answers are remembered, found or not. */
    remembered: 2_000,
    /** Milliseconds that addresses are remembered at most, however long their time to live. */
    success: 30_000,
    /** Milliseconds that a failure is remembered: repeating it is cheap, and a name that was mended soon works. */
    failure: 5_000,
    /** Characters of a name (RFC 1035). */
    name: 253,
    /** Characters of one label of a name (RFC 1035). */
    label: 63,
    /** Bytes read of the hosts file; what lies behind is ignored. */
    hostsFile: 1_048_576,
    /** Milliseconds after which the hosts file is looked at again. */
    hostsFileAge: 5_000,
  },
  destinations: {
    /** Milliseconds after which the machine's own addresses are read again: interfaces come and go. */
    ownAddressesAge: 5_000,
  },
  abi: {
    /** Inputs, outputs and components in all: the largest functions in use have some fifty. */
    parameters: 256,
    /** Tuples inside of tuples: compilers themselves give up soon after. */
    depth: 8,
    /** Characters of a name: names are repeated for every element of a list in the answer. */
    name: 128,
    /** Dimensions of an array, fixed and open ones together. */
    dimensions: 4,
    /** Elements of one fixed dimension. */
    length: 1024,
    /** Values that the inputs, and the outputs, stand for with one element in every open list: bounds the product of all fixed lengths. */
    values: 4096,
  },
  bytes: {
    /** Bytes that a download is given beyond RATE_LIMIT_BYTES, so that a small file that was begun is whole. */
    beyond: 65_536,
    /** Bytes that a storage may be ahead of what is handed out before they count: buffers hold as many. */
    ahead: 131_072,
    /** Bytes that a download which waits is given all the same, so that nobody takes it for dead. */
    keepAlive: 1024,
    /** Milliseconds after which it is: proxies close what is silent for a minute. */
    keepAliveEvery: 15_000,
    /** Milliseconds after which bytes that were written are brought to the database. */
    countEvery: 500,
    /** Milliseconds after which a budget that is used up is looked at again, where its minute has not ended before. */
    lookEvery: 5_000,
  },
  receipts: {
    /** Milliseconds between the first two looks for a transaction that no node knows yet; the pause doubles with each. */
    firstPause: 250,
    /** Milliseconds between two of them at most: so long a transaction may be mined before it is found. */
    longestPause: 2_000,
    /** Transactions that are waited for at once; for others there is one look. Honest ones are there at the first. */
    waiting: 256,
    /** Transactions of which it is remembered that they were not there, or are no order. */
    missing: 10_000,
    /** Different orders that the reuses in one transaction may stand for. One is usual, and each costs a look. */
    reused: 32,
  },
  contract: {
    /** Gas of a call: below the block limit of every network, and bounds the node's time and memory. */
    gas: 10_000_000,
    /** Bytes of the call data: what userdata of the greatest length can ask for. */
    call: 131_072,
    /** Bytes of a signature that a contract wallet is asked about: each owner's takes 65, or some more where that is a contract too. */
    signature: 4096,
    /** Bytes of an answer that is a file or a token URI (which may hold the data itself), and of what it decodes to. */
    answer: 262_144,
    /** Steps through the values of such an answer and their types: some 16 for each of its words, a microsecond each. */
    steps: 131_072,
    /** A small answer is decoded where it arrives, a larger one in a thread: its bytes, and the limits of decoding it. */
    small: { bytes: 1024, answer: 16_384, steps: 4_096 },
    /** Bytes of an answer that is a number, an address, or a list of them. */
    view: 16_384,
    /** Bytes of the answer for a token's symbol: it is shown beside a price. */
    symbol: 1024,
    /** Datatokens of an asset, and offers of a datatoken, that are asked for a price. */
    offers: 16,
    /** Bytes of owners, token URIs and prices that are kept in memory. */
    facts: 33_554_432,
  },
  chain: {
    /** Bytes of an answer of a node, parsed within 50 ms. Blocks that have more are asked for in smaller parts, down to one contract. */
    answer: 8_388_608,
    /** Receipts that are asked for at once, where a block is read transaction by transaction. */
    receipts: 25,
    /** Contracts whose events are asked for at once, where a block is read contract by contract: some nodes take no more. */
    emitters: 250,
    /** Contracts that the database is asked about in one statement. */
    known: 500,
    /** Seconds since 1970 that a block may tell: to the end of the year 9999, which dates are written for. */
    time: 253_402_300_799,
    /** Requests for the newest document of one asset, where the index is not believed: halves of a range that a node refuses. */
    newest: 64,
  },
  sql: {
    /** Bytes of all that a server says beside rows: login, columns, notices. A table of 1,600 columns takes 150 KB of it. */
    aside: 262_144,
    /** Columns of a row: those that PostgreSQL itself allows in a result. */
    columns: 1664,
    /** Bytes of a column's name. PostgreSQL has 63, others a few more. */
    columnName: 1024,
    /** Bytes of a row, where an order is behind it, and where anybody may ask. What is larger is a file, not a row. */
    row: { paid: 8_388_608, anonymous: 1_048_576 },
    /** Rows that are asked for at once: few, since nothing stops a server within them. */
    rows: 16,
    /** Characters of a number, a date or another short value, which libraries read in quadratic time. */
    short: 128,
    /** Characters of one row that have to be parsed (all but text; arrays count four times): parsing holds the event loop. */
    parsed: 1_048_576,
    /** Characters that a key of JSON counts for among those: 32,768 keys take the loop some 30 ms. */
    keyCost: 32,
    /** JSON in one value. Reading deep text takes several times as long as flat text. */
    json: { values: 250_000, keys: 32_768, depth: 200 },
  },
  ftp: {
    /** Bytes of all replies of one control connection. A session takes some 3 KB, a long greeting included. */
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
    /** Bytes of an encrypted body that are written as hex in one turn of the event loop: ten megabytes take a tenth of a second. */
    turn: 262_144,
    /** Problems that are told of one request: nobody mends more at once, and a list of thousands costs seconds. */
    problems: 10,
  },
  document: {
    /** Commas and brackets of a document: lists of credentials are the longest part of honest ones. */
    values: 50_000,
    /** Keys of a document: so parsing it on the event loop stays below 20 ms. Large honest ones have a thousand. */
    keys: 5000,
    /** Nesting of a document: policies inside of credentials of version 5 need twelve. */
    depth: 32,
    /** Entries of `@context`: honest documents have one or two. */
    context: 100,
    /** Services of an asset: the schemas of publishing libraries allow 64. */
    services: 100,
    /** Entries of one list of credentials: the schemas allow 64. */
    credentials: 100,
    /** Entries of all lists of credentials together. */
    credentialEntries: 1000,
    /** Values of all credentials together: each one is compared at every request. */
    credentialValues: 10_000,
    /** consumerParameters of a service: the schemas allow 64. */
    consumerParameters: 100,
    /** Options of one consumerParameter: a list of the world's countries has 250. */
    options: 1000,
    /** Characters of an id, a type, or another name: the schemas allow 256, and no route takes a longer one. */
    name: 512,
    /** Characters of a service endpoint: the schemas allow 2048. */
    endpoint: 2048,
    /** Characters of encrypted files as hex, for 256 KiB of locations: the schemas allow 8192. */
    files: 524_288,
    /** Bytes that encryption and a container that does not compress may add to MAX_DDO_SIZE. */
    overhead: 65_536,
    /** Problems that are told of one document, for the same reason. */
    problems: 10,
  },
  /** The options of a consumerParameter, where they are written as JSON text: a list of objects with one key each. */
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
    /** Milliseconds for what ends after the transfers (questions to nodes, proofs of delivery); then it is left. */
    rest: 1000,
  },
  lease: {
    /** Milliseconds for which one of several instances leads without a sign of life: somebody leads again within 15 s. */
    lasts: 10_000,
    /** Milliseconds between its signs of life: three may be lost. */
    renew: 2500,
    /** Milliseconds for each; then the connection is given up and another one made. */
    statement: 5000,
  },
  tokens: {
    /** Seconds for which a revoked token is remembered after its end: a clock that was ahead must not bring it back. */
    rememberedAfterEnd: 604_800,
  },
  sandbox: {
    /** Threads of one process: two, so that one slow document does not keep the others waiting. */
    threads: 2,
    /** Milliseconds for one task, with the start of its thread: an honest one takes ten, on a crowded machine a second. */
    deadline: 10_000,
    /** Milliseconds after which a thread without work is ended, and its memory given back. */
    idle: 30_000,
    /** Requests that wait for a thread: more would wait longer than their senders do. */
    queue: 64,
    /** MiB of objects of one thread: an honest document takes ten. */
    memory: 128,
    /** MiB of young objects of one thread. */
    young: 16,
    /** MiB of stack of one thread, the usual size. */
    stack: 4,
  },
} as const
