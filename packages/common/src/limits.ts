/**
 * The limits of this package on untrusted input: in size, in count and in time, each with its unit and reason. Settings are in
 * the service.
 */
export const COMMON_LIMITS = {
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
} as const
