/** The limits of this package on untrusted input, each with its unit and reason. Settings are in the service. */
export const CHAIN_LIMITS = {
  clock: {
    /** Seconds by which the clock may differ from chain heads before quotes are refused. A quote is valid for a day. */
    tolerance: 600,
    /** New heads that prove a fast clock if they are equally old on arrival. */
    arrivals: 3,
    /** Minimum seconds between the first and the last of them: the heads of a node that catches up grow younger meanwhile. */
    span: 20,
    /** Milliseconds between the first looks, and between those after a new head arrived old: the more exact, the sooner they prove. */
    closely: 1_000,
    /** Looks in so short a time after a new head arrived old, at most: a node may lag for ever. */
    closeLooks: 60,
    /** Seconds of inexactness of honest block times. */
    slack: 5,
    /** Seconds for which the last head of a node counts. */
    remembered: 600,
  },
  factory: {
    /** Milliseconds between look-ups of a missing factory. */
    retry: 2_000,
  },
  nodes: {
    /** Milliseconds for a request, if the caller has no setting. */
    timeout: 10_000,
    /** Milliseconds of backoff before a failed node is probed: first and longest. */
    backoff: { first: 500, longest: 20_000 },
    /** Milliseconds without a failure after which a node works again: it may fail at some requests, and pass each probe in between. */
    quiet: 60_000,
    /** Milliseconds of the pause after a rate limit: first and longest. A node may request a longer one. */
    pause: { first: 250, longest: 8_000 },
    /** Characters of a body from which parsing waits for a turn of the event loop. */
    turn: 262_144,
    /** Bytes that JSON-RPC adds at most to the return data of a call. */
    envelope: 4_096,
  },
  confirmation: {
    /** Newest blocks that are read by their hashes. Older ones are read by ranges, and compared before they are final. */
    newest: 64,
    /** Milliseconds to wait for events that the bloom of a new block names and no node returns. */
    patience: 10_000,
    /** Milliseconds between attempts of a comparison. */
    retry: 10_000,
    /** Comparisons of blocks with incomplete evidence before they are final: after milliseconds, and so many blocks together unless the chain is quiet. */
    early: [
      { age: 10_000, blocks: 8 },
      { age: 30_000, blocks: 16 },
      { age: 120_000, blocks: 32 },
    ],
    /** Milliseconds since a block was applied before it can be final: on fast chains INDEX_REORG_DEPTH takes seconds. */
    age: 120_000,
    /** Blocks that become final together. */
    blocks: 32,
    /** Milliseconds for which a second reading may lack events of the first one before the first one counts. */
    lacking: 600_000,
  },
  receipts: {
    /** Milliseconds between the first two requests for an unknown transaction. The backoff doubles with each retry. */
    firstBackoff: 250,
    /** Maximum backoff in milliseconds: the delay before a mined transaction is found. */
    maxBackoff: 2_000,
    /** Milliseconds between polls of the index's progress for a waiting caller. The progress is in memory. */
    indexPoll: 50,
    /** Transactions that are polled concurrently, and callers that wait for the index. Further ones get a single request, which finds honest transactions. */
    waiting: 256,
    /** Transactions cached as not found or as no order. */
    missCacheEntries: 10_000,
    /** Distinct orders that the reuse events of one transaction may name. Each costs a request; one is usual. */
    reused: 32,
  },
  moments: {
    /** Milliseconds without a head as high as a former one, after which a lower one is believed: the chain was restarted. */
    forgotten: 60_000,
    /** Milliseconds after its last older answer for which a node counts as mixing moments. */
    mixing: 600_000,
    /** Blocks by which a head may exceed the known ones unseen. The block of a higher one is requested. */
    jump: 8,
    /** Milliseconds by which the block that a quorum is asked about may be older than the head of each of its nodes. */
    apart: 10_000,
    /** Milliseconds between requests to nodes that are behind: two and a half seconds in all. */
    pauses: [25, 50, 100, 200, 400, 800, 900],
  },
  chain: {
    /** Bytes of a node's response, which bounds the time of parsing. Larger blocks are requested in parts, down to one contract. */
    response: 8_388_608,
    /** Values, keys and depth of a response: twice those of a full response of events. A response of empty objects has millions. */
    shape: { values: 500_000, keys: 400_000, depth: 32 },
    /** Characters of events that were read ahead. Ranges beyond this are dropped and requested again later. */
    ahead: 8_388_608,
    /** Receipts per batch request, if a block is read transaction by transaction. */
    receipts: 25,
    /** Contracts per log request, if a block is read contract by contract: the maximum of some nodes. */
    emitters: 250,
    /** Contracts per look-up in the database. */
    known: 500,
    /** Characters of a contract's name or symbol; longer ones are cut. Contracts may have names of megabytes, and a document repeats them for each service. */
    name: 256,
    /** Characters of a token URI; a longer one is left out. Honest ones are data URIs of a few kilobytes. */
    tokenUri: 65_536,
    /** Seconds since 1970 of a block timestamp: the end of year 9999, the last year of four digits. */
    time: 253_402_300_799,
    /** Milliseconds before a refused kind of request is tried again: first and longest. Each refusal doubles them. */
    abilities: { first: 10_000, longest: 3_600_000 },
    /** Milliseconds of a pause that a node requests after a rate limit. A longer one is cut to this. */
    retryAfter: 300_000,
    /** Characters of a node's error message that are searched for a rate limit. */
    errorText: 2000,
    /** Concurrent HTTP requests for the parts of a batch that a node refuses as a whole. */
    parts: 4,
    /** Index changes after which a batch is committed at the end of the block; inside the block after twice as many. Other writes to the embedded database wait for the commit. */
    changes: 400,
    /** Changed assets with the same effect: each needs new search rows. */
    assets: 48,
    /** Characters of documents and search rows with the same effect: a small event may carry a document of a megabyte. */
    documents: 524_288,
    /** Estimated characters of documents that are decoded ahead. */
    decoded: 8_388_608,
    /** Characters that a change counts for if it rewrites search rows of a document that is not in the batch. */
    change: 8_192,
    /** Rows that one transaction of a rollback restores, and characters of their documents after which it ends. */
    restored: { rows: 32, characters: 262_144 },
    /** Characters of documents whose search rows one transaction rewrites. The rest is rewritten in the background. */
    refreshed: 1_048_576,
    /** Requests for the newest metadata of one asset while the index is stale: a refused range is halved. */
    newest: 64,
  },
} as const
