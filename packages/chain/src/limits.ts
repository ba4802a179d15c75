/**
 * The limits of this package on untrusted input: in size, in count and in time, each with its unit and reason. Settings are in
 * the service.
 */
export const CHAIN_LIMITS = {
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
} as const
