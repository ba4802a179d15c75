/**
 * Limits of this package on untrusted input: size, count and time, each with its unit and reason. Limits of the operator
 * are settings.
 */
export const PROTOCOL_LIMITS = {
  /** A files object, before it is encrypted. */
  filesObject: {
    /** Bytes: as hex they fill the field of a document. That is about 2,500 files with names. */
    size: 262_000,
    /** Commas and brackets. */
    values: 50_000,
    /** Keys. */
    keys: 25_000,
    /** Nesting: a storage object with an ABI needs eight. */
    depth: 32,
  },
  body: {
    /** Bytes of a JSON body. The longest honest one, a token with its signature, has a few kilobytes. */
    json: 65_536,
    /** Bytes of the body of fileinfo: a storage object may hold an ABI or a query of 64 KiB, escaped. */
    fileinfo: 262_144,
    /** Commas and brackets of any JSON body: an ABI of 64 KiB has about five thousand. */
    values: 10_000,
    /** Keys of any JSON body: the same ABI has two thousand. */
    keys: 5000,
    /** Nesting of any JSON body: a storage object with an ABI needs eight. */
    depth: 32,
    /** Bytes per turn of the event loop when an encrypted body is encoded as hex: ten megabytes take a tenth of a second. */
    hexChunk: 262_144,
    /** Problems per refused request. No client fixes more at once, and a list of thousands takes seconds. */
    problems: 10,
  },
  document: {
    /** Commas and brackets of a document. In honest ones most are in lists of credentials. */
    values: 50_000,
    /** Keys of a document, so that parsing takes less than 20 ms. Large honest ones have a thousand. */
    keys: 5000,
    /** Nesting of a document. Policies in credentials of version 5 need twelve. */
    depth: 32,
    /** Characters of a stored document that the event loop parses, in a few milliseconds. Threads parse longer ones. */
    short: 16_384,
    /** Entries of `@context`. Honest documents have one or two. */
    context: 100,
    /** Services of an asset. The schemas of publishing libraries allow 64. */
    services: 100,
    /** Entries of a list of credentials. The schemas allow 64. */
    credentials: 100,
    /** Entries of all lists of credentials of a document. */
    credentialEntries: 1000,
    /** Values of all credentials of a document: preparing them takes a few milliseconds. */
    credentialValues: 10_000,
    /** Access lists of all credentials of a document. Each may cost a call to a node; honest documents name one or two. */
    accessLists: 16,
    /** consumerParameters of a service. The schemas allow 64. */
    consumerParameters: 100,
    /** Options of a consumerParameter. A list of all countries has 250. */
    options: 1000,
    /** Characters of an id, a type or another name. The schemas allow 256, and no route accepts a longer one. */
    name: 512,
    /** Characters of a refused value that a thread returns: enough to show its excess. */
    refused: 10_000,
    /** Characters of the stored list of services. Longer lists are parsed with their document. */
    storedServices: 4_096,
    /** Characters of a service endpoint. The schemas allow 2048. */
    endpoint: 2048,
    /** Characters of encrypted files as hex: 256 KiB of locations. The schemas allow 8192. */
    files: 524_288,
    /** Bytes of a document without a limit on its inflation: 60 equal services of a test compress 90 times. */
    inflated: 131_072,
    /** Bytes of the first buffer for a decompressed document. It doubles as the document grows. */
    firstBuffer: 65_536,
    /** Bytes that encryption and an incompressible container may add to MAX_DDO_SIZE. */
    overhead: 65_536,
    /** Problems per refused document. */
    problems: 10,
    /** Cached bytes of assets from the chain while the index is behind. */
    staleCache: 33_554_432,
    /** Cached bytes of assets per metadata cache. */
    remoteCache: 33_554_432,
  },
  shortened: {
    /** Characters of a shortened document. */
    size: 16_384,
    /** Characters of a text in a shortened document. */
    text: 512,
  },
  keystore: {
    /** Parameters of scrypt for new keystore files: a third of a second and 128 MiB for each guess of the password. */
    cost: { n: 131_072, r: 8, p: 1 },
    /** Bytes of memory to open a keystore file: four times those of geth. */
    memory: 1_073_741_824,
    /** Rounds of PBKDF2 to open a keystore file: some seconds of a core. */
    rounds: 10_000_000,
    /** Characters of a keystore file. Honest ones have five hundred. */
    length: 65_536,
  },
  caches: {
    /** Texts of one cache of derived values. The callers bound the length of each. */
    texts: 10_000,
  },
  optionsText: {
    /** Characters of options as text. A list of all countries has ten thousand. */
    length: 16_384,
    /** Commas and brackets of options: two for each of a thousand. */
    values: 2001,
    /** Keys of options: one each. */
    keys: 1000,
    /** Nesting of options: list and objects, with room for labels by language. */
    depth: 4,
  },
} as const

/** Limits on public names of files, apart so that a page bundles no others. */
export const NAME_LIMITS = {
  fileName: {
    /** Bytes of the public name of a file, a relative path. */
    pathBytes: 1_024,
    /** Bytes of each part of it, as file systems allow. */
    pathSegment: 255,
    /** Parts of the public name of a file: more folders than people make. */
    pathDepth: 32,
  },
} as const

/** Limits on what a description of an asset holds of its document. */
export const ASSET_LIMITS = {
  /** Characters of a URL of terms, samples and links. Longer ones are left out. */
  url: 2_048,
  /** Characters of the notes on a version of the files. The rest is cut off. */
  notes: 2_000,
  /** Characters of a text of several lines, such as a description. The rest is cut off. */
  text: 100_000,
  /** Seconds for which an order is valid, at most: its end is still a valid date. */
  timeout: 1_000_000_000_000,
  /** Files of a service. Other providers may describe more than this one has; the size of the answer limits them as well. */
  describedFiles: 100_000,
} as const

/** Limits on what is known of sellers, apart so that a page bundles no others. */
export const SELLER_LIMITS = {
  verified: {
    /** Accounts with a verified name: every page of the console reads them. */
    publishers: 200,
    /** Characters of a verified name: one line of a page. */
    name: 60,
  },
} as const
