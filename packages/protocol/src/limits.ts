/**
 * The limits of this package on untrusted input: in size, in count and in time, each with its unit and reason. Settings are in
 * the service.
 */
export const PROTOCOL_LIMITS = {
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
  shortened: {
    /** Characters of a shortened document. */
    size: 16_384,
    /** Characters of a text in it. */
    text: 512,
  },
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
} as const
