/** The limits of this package on untrusted input, each with its unit and reason. Settings are in the service. */
export const CATALOG_LIMITS = {
  outbound: {
    /** Bytes of a response of an operator's service: purgatory lists are the longest. */
    response: 16_777_216,
    /** Bytes of a metadata cache's response in addition to twice MAX_DDO_SIZE, for fields that caches add. */
    added: 1_048_576,
  },
  search: {
    /** Bytes of a search body: twice a list of a thousand DIDs. */
    body: 262_144,
    /** Nesting of clauses, and of parentheses in a query string. Front ends send four. */
    depth: 8,
    /** Clauses of a query in total. Front ends send a dozen. */
    clauses: 256,
    /** Look-ups of words, one per word and field. Honest searches have four dozen. */
    lookups: 1024,
    /** Values of one list of terms or ids: more than a page of the maximum size. */
    terms: 2048,
    /** Characters of a text in a query. */
    text: 4096,
    /** Characters of a field name: as long as the longest searchable path of a document. Also of all names with `*` of a list in `_source`: each is compared with each path. */
    path: 512,
    /** Fields of one text clause, of a sort, and of `_source`. */
    fields: 64,
    /** The maximum weight or boost, and the number of fractions of a point. */
    weight: { most: 1000, parts: 1000 },
    /** Hidden assets of an owner in one answer: more than a person puts on sale again. */
    hidden: 200,
    /** Hits of one page, and the last hit that a page may reach: as in other metadata caches without a cursor. */
    page: { most: 1000, reach: 10_000 },
    /** Counted hits. If there are more, the response says so. Up to this many are few: listed and sorted. */
    counted: 10_000,
    /** Characters of documents of one page that are read in the snapshot. Further ones are read while the response is sent. */
    documents: 2_097_152,
    /** Bytes above which a document is long: it is read alone and parsed in a thread while the response is sent. Honest documents have five to thirty thousand. */
    long: 65_536,
    /** Characters of long documents in one response. Beyond this, and in purgatory, they are shortened. */
    longDocuments: 16_777_216,
    /** Characters of the cache of shortened documents: some thousands. */
    keptShortened: 8_388_608,
    /** Long documents that are parsed concurrently in the sandbox, and responses that wait for it. */
    parsed: { atOnce: 1, queue: 256 },
    /** Documents per statement while a response is sent. */
    ahead: 16,
    /** Characters up to which a response is sent as a whole. A longer one is written document by document. */
    whole: 262_144,
    /** Datatokens of an NFT in a list and in its search rows. A document has at most 100 services. */
    datatokens: 500,
    /** Active offers of an NFT in documents and lists. Honest assets have one per service. */
    offers: 100,
    /** Hits of a page whose owner and token symbol are read from the chain: more than a front end shows. */
    facts: 50,
    /** Concurrent reads of owner and token symbol. */
    factsInFlight: 8,
    /** Milliseconds for all reads of owner and token symbol of one page. */
    factsDeadline: 1_000,
    /** Aggregations of a search, including nested ones, and fields of a sort. Front ends send two. */
    aggregations: 8,
    /** Hits that an aggregation reads, the newest first. Each costs some microseconds per field. */
    aggregated: 100_000,
    /** Aggregations over at least `counted` hits, which are computed anew in the background. */
    statistics: {
      /** Milliseconds for which the last ones are shown. */
      age: 60_000,
      /** Milliseconds for computing them in the background. */
      deadline: 20_000,
      /** They are computed anew when they are this many times as old as that took. A refused search waits as much for the background. */
      rest: 10,
      /** Characters of all that are kept. */
      kept: 4_194_304,
    },
    /** Counted pairs of a bucket and a nested value: an aggregation of everything by everything would take seconds. */
    pairs: 20_000,
    /** Parts of a score: each costs a look-up with the whole query. Front ends send a dozen. */
    scoreParts: 64,
    /** Buckets of one aggregation: front ends request a thousand tags. */
    buckets: 1000,
    /** Characters of one statement with its values: three times a body full of values. */
    statement: 1_048_576,
    /** Milliseconds for one search, including the time in the queue. */
    deadline: 5_000,
    /** Queued searches: further ones would miss their deadline. If the queue is full, one of the address with the most is refused first. */
    queue: 64,
    /** Characters of cached results, until the index changes: a few hundred pages of a front end. */
    kept: 16_777_216,
    /** Characters of cached assets of hits, which are on many pages: a few thousand assets. */
    keptAssets: 16_777_216,
    /** Searchable values of a document, with its index entry first. Large honest documents have 300. */
    values: 1000,
    /** Searchable words of a document. The longest texts are truncated. A long article has 3,000. */
    words: 4000,
    /** Characters of one text of a document that are split into words. */
    read: 65_536,
    /** Characters of a document's search rows: minimum, per byte of the compressed document (which its publisher paid for), and maximum. An ordinary document has 10,000, an article of 3,000 words 100,000. */
    rows: { least: 98_304, perByte: 40, most: 524_288 },
    /** Positions of one word in a document: PostgreSQL stores 256. */
    places: 250,
    /** Significant characters of a word. */
    word: 128,
    /** Vowel signs and tone marks of a letter in text without spaces: Khmer and Burmese have up to four. */
    marks: 4,
    /** Characters of a prefix with its own token, in texts of up to `value` characters. A longer prefix costs a scan of all words that begin with it. */
    beginning: 2,
    /** Distinct longer prefixes of a search, counted per field: each costs a scan of its words. Front ends send three words in nine fields. */
    prefixes: 32,
    /** Characters of a text that can be matched as a whole value, sorted by or aggregated: the same as in other metadata caches. */
    value: 256,
    /** Documents per batch of search rows in the background, and characters of them after which the batch ends. */
    built: { documents: 20, characters: 262_144 },
    /** Pages per merge of SQLite's full-text segments: a few milliseconds of the event loop. */
    merged: 32,
    /** Milliseconds after a failed step of the maintenance, between looks for documents without search rows, and between rounds of merges: many changes together are cheaper. */
    maintained: { backoff: 5_000, look: 2_000, round: 30_000 },
    /** Documents that are looked up one by one in the order of an index: at least, and more for each hit. */
    steps: { least: 2_048, perHit: 2 },
    /** Remembered names of paths: most documents share their paths. */
    paths: 10_000,
    /** Characters of documents that are serialized in one turn of the event loop. */
    turn: 262_144,
  },
  index: {
    /** Characters of the cache of indexed assets. */
    cached: 33_554_432,
    /** Bytes or characters that a cached result, or one of its hits, counts for beside its texts. */
    resultSize: 1_024,
    /** Estimated characters of one document that is decoded ahead, at most. */
    document: 1_048_576,
    /** Milliseconds of backoff after failures, at most. */
    backoff: 30_000,
    /** Milliseconds before the first warning that no node knows the last indexed block, and between further warnings. */
    unknown: 30_000,
    /** Milliseconds without a node that knows the live cursor, after which a requested rebuild may replace a longer live generation: the chain may have been restarted. Lagging nodes recover earlier. */
    restarted: 60_000,
    /** Milliseconds between progress lines in the log during a catch-up. */
    progress: 10_000,
    /** Milliseconds after which the nodes' view of the chain is stale. */
    view: 5_000,
    /** Events of one range above which the range shrinks, and events of all ranges that are read ahead: both bound the memory. */
    events: { range: 2_000, ahead: 4_000 },
    /** Blocks of the first request: most public nodes return as many. */
    firstRange: 2_000,
    /** Successes after which a refused size of a range is tried again: first and last. Each refusal doubles them. */
    retryAfter: { first: 16, last: 6_400 },
    /** Characters of a batch that count as one row. */
    row: 4_096,
    /** Characters from which a document or an undo row is compressed. Longer rows would fill a page of 4 KiB each. */
    packed: 1_024,
  },
  sales: {
    /** Changes of orders that one transaction reports: a few milliseconds of the embedded database. */
    atOnce: 100,
    /** Final blocks after which a look for new orders begins later, though there were none. */
    window: 1_000,
  },
} as const
