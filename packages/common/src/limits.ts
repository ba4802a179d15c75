/**
 * Limits of this package on untrusted input: size, count and time, each with its unit and reason. Limits of the operator
 * are settings.
 */
export const COMMON_LIMITS = {
  contract: {
    /** Gas of a call: below the block limit of every network. Bounds time and memory of the node. */
    gas: 10_000_000,
    /** Bytes of the call data. Userdata of maximum length encodes to that. */
    call: 131_072,
    /**
     * Bytes of a signature of a contract wallet: 65 for each owner, more if an owner is a contract, and a few hundred up to
     * the code of a wallet if the call of a factory is wrapped with it (ERC-6492).
     */
    signature: 8_192,
    /**
     * Bytes of a call result that is a file or a token URI, which may contain the data itself. Also bytes of the decoded
     * value.
     */
    result: 262_144,
    /** Decoding steps through the values of such a result and their types: about 16 per word, each a microsecond. */
    steps: 131_072,
    /** Results up to `bytes` are decoded on the event loop, with these limits. Larger ones are decoded in a thread. */
    small: { bytes: 1024, result: 16_384, steps: 4_096 },
    /** Bytes of a call result that is a number, an address, or a list of them. */
    view: 16_384,
    /** Bytes of the call result for a token symbol. */
    symbol: 1024,
    /** Characters of a token's name or symbol. */
    tokenName: 128,
    /** Cached names and symbols of tokens: each up to about a kilobyte. */
    tokenNames: 10_000,
    /** Milliseconds after which a token without a name is queried again. */
    namelessFor: 60_000,
    /** Datatokens of an asset, tokens per look-up of names, and offers of a datatoken whose price is requested. */
    offers: 16,
    /** Bytes of the cache of owners, token URIs and token symbols. */
    cacheSize: 33_554_432,
    /** Cached memberships of access lists, and cached lists of datatokens: about 300 bytes each. */
    memberships: 20_000,
    /** Bytes of the call result of an access list: an account's number of tokens. */
    balance: 32,
  },
  log: {
    /** Bytes of lines that wait for a full disk or an idle reader. Further lines are lost. */
    waiting: 8_388_608,
    /** Milliseconds before exit to wait for an idle reader of the log. */
    lastWait: 3_000,
  },
  outbound: {
    /** Characters of an unexpected body in which the beginning of a web page is recognised. */
    start: 1_024,
  },
  thread: {
    /** MiB of the young generation of a thread for trusted code. Twice as much makes nothing faster. */
    youngGeneration: 24,
  },
  sandbox: {
    /** Threads per process. Two, so that a slow document does not delay all others. */
    threads: 2,
    /**
     * Milliseconds of processor time for a task, including the start of its thread. An honest task takes ten, with a new
     * thread 500.
     */
    deadline: 10_000,
    /**
     * Documents per task while the index catches up, their estimated characters, and milliseconds of processor time. The
     * documents of a failed batch are read one by one.
     */
    batch: { documents: 8, size: 2_097_152, deadline: 2_500 },
    /** Milliseconds without work before a thread stops and frees its memory. */
    idleTimeout: 30_000,
    /** Tasks in the queue. With more, callers would time out first. */
    queue: 64,
    /** MiB of a thread's heap. An honest document takes ten. */
    memory: 128,
    /** MiB of a thread's young generation. */
    youngGeneration: 16,
    /** MiB of a thread's stack: the default. */
    stack: 4,
  },
} as const
