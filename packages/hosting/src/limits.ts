/** The limits of this package on untrusted input, each with its unit and reason. Settings are in the service. */
export const HOSTING_LIMITS = {
  hosting: {
    /** Files of one publisher, complete or not: each is a row. Bytes have a setting. */
    files: 10_000,
    /** Bytes of a public file: samples and terms are small, and nobody pays for their delivery. */
    publicFile: 5_242_880,
    /** Characters of an Idempotency-Key: more than twice a UUID. */
    idempotencyKey: 128,
    /** Characters of Upload-Metadata: name and type take a hundred. */
    metadata: 4096,
    /** Bytes that an upload must send in every HOSTING_STALL_TIMEOUT: 1 KiB/s by default, slower than any usable line. */
    steady: 65_536,
    /** Partial uploads of a final one: a request header has no room for many more. */
    partials: 64,
    /** Bytes by which an upload without a length grows in the quota: each time costs a transaction. */
    deferredStep: 1_048_576,
    /** Bytes between two checkpoints, which make an upload durable: a client repeats as many after a crash. */
    checkpoint: 16_777_216,
    /** Minimum milliseconds between two checkpoints, for fast lines. */
    checkpointWait: 250,
    /** Bytes that are collected before a write to the disk. */
    batch: 262_144,
    /** Bytes of one upload that may wait for the disk. */
    uploadMemory: 2_097_152,
    /** Bytes that all uploads of one process may buffer for the disk. Beyond this each upload has two batches. */
    batchMemory: 33_554_432,
    /** Milliseconds after which an incomplete batch is written, for slow lines. */
    batchWait: 20,
    /** Bytes after which the disk begins to sync, so that the next checkpoint is short. */
    syncAhead: 4_194_304,
    /** Bytes per read of a hosted file from the disk. */
    read: 262_144,
    /** Reusable buffers for reads of hosted files. */
    readsKept: 32,
    /** Bytes of a part on S3, one of which is in memory per upload. S3 requires at least 5 MiB. */
    s3Part: 8_388_608,
    /** Parts of a file on S3, which allows 10,000: the rest is for repeated parts. Larger files have larger parts. */
    s3Parts: 5_000,
    /** Parts of a file as far as `s3PartMax` allows: some services take 1,000, where the rest is for repeated parts. */
    s3FewParts: 900,
    /** Maximum bytes of one part: with the number of parts, it limits HOSTING_MAX_FILE on S3. */
    s3PartMax: 67_108_864,
    /** Objects with pieces of an incomplete part. If there are more, they are merged. */
    s3Pieces: 32,
    /** Bytes of memory for parts in one process: 32 concurrent uploads. Further ones take turns. */
    s3Memory: 268_435_456,
    /** Milliseconds for which an upload waits for memory. */
    s3MemoryWait: 15_000,
    /** Milliseconds to fill a part while other uploads wait for memory. Then the request ends and keeps its bytes. */
    s3MemoryHold: 8_000,
    /** Concurrent requests to S3 of one process. Each download and each part is one. */
    s3Connections: 256,
    /** Milliseconds to connect to S3. */
    s3Connect: 5_000,
    /** Milliseconds without a byte from S3: S3 needs a while to assemble a large file. */
    s3Silence: 60_000,
    /** Bytes of an S3 response that is not a file: a thousand keys take half a megabyte. */
    s3Answer: 4_194_304,
    /** Milliseconds for which a lock is valid without renewal. */
    lease: 10_000,
    /** Milliseconds between renewals. Each one returns whether another writer requests the lock. */
    leaseRenewal: 1_000,
    /** Milliseconds for which a request waits for a lock that another writer holds. */
    lockWait: 15_000,
    /** Milliseconds for a writer to end after it was asked to. */
    lockDrain: 500,
    /** Milliseconds between attempts to get a lock. */
    lockPoll: 100,
    /** Hashes of uploads in memory. Any other is computed from the stored bytes. */
    hashes: 1000,
    /** Files per page of a list: each costs a query of the index. */
    page: 100,
    /** Recorded uses of one file. Further ones are not recorded, and the file is never deleted as unused. */
    uses: 1000,
    /** Milliseconds before another use of a file is recorded as its latest: each costs a write. */
    usedAgain: 60_000,
    /** Characters of an id or an ETag that S3 returns. */
    s3Id: 1_024,
    /** Milliseconds of backoff before each retry of a request to S3, without jitter. */
    s3Backoffs: [100, 300, 900, 2_700],
    /** Recorded uses of each file that a list looks at: documents of strangers may name a public file. */
    usesListed: 50,
    /** Assets that are read to list files with their uses, or to delete one: two for each recorded use of a file. */
    usesChecked: 2_000,
    /** Ids per look-up in the database, and public files of one document whose use is recorded. */
    known: 100,
    /** Milliseconds between sweeps for expired files. */
    sweepInterval: 60_000,
    /** Milliseconds between sweeps for abandoned multipart uploads, each of which lists all unfinished ones. */
    tidyInterval: 3_600_000,
    /** Files of each kind that one sweep deletes. */
    sweepBatch: 100,
  },
} as const

/** The limits that the operator sets. */
export interface HostingLimits {
  /** Bytes of one file. */
  maxFile: number
  /** Whether the limits are those of a public file. */
  isPublic?: boolean
  /** Bytes of all files of one publisher. */
  quota: number
  /** Milliseconds until an incomplete upload expires. */
  lifetime: number
}
