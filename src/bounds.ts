/**
 * Limits on what comes from outside that nobody has to set, by topic, each with its unit and reason. What an operator
 * may want to change is a setting instead.
 */
export const BOUNDS = {
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
