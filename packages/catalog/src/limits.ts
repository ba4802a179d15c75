/**
 * The limits of this package on untrusted input: in size, in count and in time, each with its unit and reason. Settings are in
 * the service.
 */
export const CATALOG_LIMITS = {
  outbound: {
    /** Bytes of a response of a service that the operator has named: purgatory lists are the longest. */
    response: 16_777_216,
    /** Bytes that a metadata cache may answer beside twice MAX_DDO_SIZE: what it adds to the document, and how it writes it. */
    added: 1_048_576,
  },
  search: {
    /** Bytes of the body of a search: a list of a thousand DIDs, twice over. */
    body: 262_144,
    /** Nesting of clauses, and of parentheses in a query string. Front ends send four. */
    depth: 8,
    /** Clauses of a query in total. Front ends send a dozen. */
    clauses: 256,
    /** Look-ups of words: one per word and field. Honest searches have four dozen. */
    lookups: 1024,
    /** Values of one list of terms or ids: a page of the maximum size, and more. */
    terms: 2048,
    /** Characters of a text in a query. */
    text: 4096,
    /** Characters of the name of a field: longer than any searchable path of a document. */
    path: 512,
    /** Fields of one text clause, of a sort, and of `_source`. */
    fields: 64,
    /** The maximum weight or boost, and the fractions of a point that are distinguished. */
    weight: { most: 1000, parts: 1000 },
    /** Hits of one page, and the last hit that a page may reach: the same as Elasticsearch without a cursor. */
    page: { most: 1000, reach: 10_000 },
    /** Hits that are counted; if there are more, the response says so. */
    counted: 10_000,
    /** Characters of the documents of one page that are read in one snapshot. Further ones are read while the answer is sent. */
    documents: 2_097_152,
    /** Bytes of a document that is read by itself, and parsed in a thread, while the answer is sent. Honest ones have five to thirty thousand. */
    long: 65_536,
    /** Characters of longer documents in one answer: beyond, and of assets in purgatory, they are shortened. */
    longDocuments: 16_777_216,
    /** Characters of the cache of shortened documents: some thousands. */
    keptShortened: 8_388_608,
    /** Long documents of answers that are parsed at once, of the threads of `sandbox`, and answers that wait for one. */
    parsed: { atOnce: 1, queue: 256 },
    /** Documents that are read by one statement while an answer is sent. */
    ahead: 16,
    /** Characters of an answer up to which it is sent as a whole; a longer one is written document by document. */
    whole: 262_144,
    /** Datatokens of an NFT in a list, and with its search rows. A document has at most 100 services. */
    datatokens: 500,
    /** Hits of a page whose owner and price are read from the chain: more than a page of a front end. */
    facts: 50,
    /** Hits for which that happens concurrently. */
    factsInFlight: 8,
    /** Milliseconds to wait for all of it. */
    factsDeadline: 1_000,
    /** Aggregations of a search, including nested ones, and fields of a sort. Front ends send two. */
    aggregations: 8,
    /** Pairs of a bucket and a nested value that are counted: beyond, an aggregation of everything by everything takes seconds. */
    pairs: 20_000,
    /** Parts of a score: each costs a look-up with the whole query. Front ends send a dozen. */
    scoreParts: 64,
    /** Buckets of one aggregation: a front end requests a thousand tags. */
    buckets: 1000,
    /** Characters of one statement with its search terms: three times a body full of values. */
    statement: 1_048_576,
    /** Milliseconds for one search, including the time in the queue. */
    deadline: 5_000,
    /** Queued searches: more would wait longer than their senders do. */
    queue: 64,
    /** Characters of cached results, kept until the index changes: a few hundred pages of a front end. */
    kept: 16_777_216,
    /** The same of assets that were hits, which are on many pages: a few thousand usual ones. */
    keptAssets: 16_777_216,
    /** Searchable values of a document, those of its index entry first. Large honest documents have 300. */
    values: 1000,
    /** Searchable words of a document; the longest texts are truncated. A long article has 3,000. */
    words: 4000,
    /** Characters of one text of a document that are split into words. */
    read: 65_536,
    /**
     * Characters of a document's search rows: so many in any case, since the transaction of the shortest document costs as
     * much as 4,000 bytes, so many for each byte of the document in compressed form, which is what its publisher paid for, and
     * no more. An ordinary document has 10,000, an article of 3,000 words 100,000.
     */
    rows: { least: 98_304, perByte: 40, most: 524_288 },
    /** Positions of one word in a document: PostgreSQL stores 256. */
    places: 250,
    /** Significant characters of a word. */
    word: 128,
    /** Vowel signs and tone marks of a letter in text without spaces: Khmer and Burmese have up to four. */
    marks: 4,
    /** Prefixes of up to so many characters have their own tokens, in texts of up to `value` characters. For longer prefixes, all words that begin with them are scanned. */
    beginning: 2,
    /** Distinct longer prefixes of a search, counted per field: each costs a scan of its words. Front ends send three words in nine fields. */
    prefixes: 32,
    /** Characters of a text that can be matched as a whole value, sorted by or aggregated: the same as in Elasticsearch. */
    value: 256,
    /** Documents per batch when search rows are written in the background, and characters of them after which a batch ends. */
    built: { documents: 20, characters: 262_144 },
    /** Pages of SQLite's full-text index that are written at once when its parts are merged: a few milliseconds of the event loop. */
    merged: 32,
  },
} as const
