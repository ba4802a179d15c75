/**
 * The limits of this package on untrusted input: in size, in count and in time, each with its unit and reason. Settings are in
 * the service.
 */
export const HOSTING_LIMITS = {
  hosting: {
    /** Files of one publisher, complete or not. Each is a row; the bytes have a setting. */
    files: 10_000,
    /** Characters of an Idempotency-Key: more than twice a UUID. */
    idempotencyKey: 128,
    /** Characters of what a client says about a file: its name and type take a hundred. */
    metadata: 4096,
    /** Bytes that an upload must bring in every HOSTING_STALL_TIMEOUT: 1 KiB/s by default, slower than any line that files are sent over. */
    steady: 65_536,
    /** Bytes after which an upload in flight is made durable and acknowledged: after a crash as many are sent again. */
    checkpoint: 16_777_216,
    /** Milliseconds between two of those: on a fast line, what has arrived meanwhile is sent again after a crash. */
    checkpointWait: 250,
    /** Bytes of an upload that are gathered for the disk. */
    batch: 262_144,
    /** Bytes of an upload that may wait for the disk. */
    uploadMemory: 2_097_152,
    /** Bytes that all uploads of one process may buffer for the disk; beyond that each has two batches. */
    batchMemory: 33_554_432,
    /** Milliseconds after which fewer are written: a slow connection takes long to bring as many. */
    batchWait: 20,
    /** Bytes after which the disk begins to sync an upload, so that little is left to do when it is to be acknowledged. */
    syncAhead: 4_194_304,
    /** Bytes of a hosted file that are read from the disk at once. */
    read: 262_144,
    /** Pieces of memory for that which are kept to be used again. */
    readsKept: 32,
    /** Bytes of a part of an upload to S3: files are stored in parts of this size, which are held in memory one at a time. It must not be below 5 MiB. */
    s3Part: 8_388_608,
    /** Parts of a file on S3, which allows 10,000. A larger file has larger parts; the rest is for parts that are sent again. */
    s3Parts: 5_000,
    /** Bytes of one part at most: with the number of parts, it limits HOSTING_MAX_FILE on S3. */
    s3PartMax: 67_108_864,
    /** Objects that hold what has arrived of a part: with more, they are made one. */
    s3Pieces: 32,
    /** Bytes of memory for parts that are on their way to S3, of one process: 32 concurrent uploads; further ones wait for each other. */
    s3Memory: 268_435_456,
    /** Milliseconds for which an upload waits for that memory. */
    s3MemoryWait: 15_000,
    /** Milliseconds in which an upload must fill a part, if others wait for its memory; otherwise its request ends with what has arrived. */
    s3MemoryHold: 8_000,
    /** Requests to S3 in flight, of one process. Each download and each part is one. */
    s3Connections: 256,
    /** Milliseconds to connect to S3. */
    s3Connect: 5_000,
    /** Milliseconds without a byte from S3: assembling a large file takes a while. */
    s3Silence: 60_000,
    /** Bytes of an answer of S3 that is not a file: a thousand keys take half a megabyte. */
    s3Answer: 4_194_304,
    /** Milliseconds for which the lock of a writer holds without being renewed. */
    lease: 10_000,
    /** Milliseconds between renewals, each of which learns whether somebody waits for the lock. */
    leaseRenewal: 1_000,
    /** Milliseconds for which a request waits for the lock of another writer, who is asked to give it up at once. */
    lockWait: 15_000,
    /** Milliseconds that a writer has to end after that. */
    lockDrain: 500,
    /** Milliseconds between attempts to get a lock. */
    lockPoll: 100,
    /** Uploads whose hash is in memory. That of any other is made again from what is there. */
    hashes: 1000,
    /** Files of one page of a list: for each the index is asked. */
    page: 100,
    /** Recorded uses of one file that are looked at. One with more is kept, since it may be used by any of the others. */
    uses: 1000,
    /** Ids that are looked up in the database at once. */
    known: 100,
    /** Milliseconds between two sweeps for expired files. */
    sweepInterval: 60_000,
    /** Milliseconds between two looks for what crashes have left in the bucket: it lists all unfinished uploads. */
    tidyInterval: 3_600_000,
    /** Files of each kind that one look deletes. */
    sweepBatch: 100,
    /** Characters of a files object in which hosted files are looked for when it is encrypted: a thousand of them. */
    filesObject: 262_144,
  },
} as const
