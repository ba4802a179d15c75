/**
 * Limits of this package on untrusted input: size, count and time, each with its unit and reason. Limits of the operator
 * are settings.
 */
export const DATABASE_LIMITS = {
  faults: {
    /** Milliseconds before a repeated fault is logged again. */
    logged: 10_000,
    /** Milliseconds after which the last write does not show that the next one succeeds: a disk fills up meanwhile. */
    idle: 15_000,
    /** Random bytes of the row that tests writing, twice as many in hexadecimal. It spans several pages, since a small row fits into a page with free space even on a full disk. */
    probe: 16_384,
  },
  locks: {
    /** Milliseconds of attempts to take the write lock of an embedded database before a write fails. */
    write: 5_000,
    /** Milliseconds for which a statement blocks while an embedded database is locked. */
    statement: 5_000,
    /** Milliseconds for which a snapshot blocks while an embedded database is locked. */
    snapshot: 2_000,
  },
  snapshots: {
    /** Concurrent snapshots of an embedded database per process: a slow search does not block the others. */
    places: 3,
  },
  batches: {
    /** Milliseconds without a batch before the writing thread ends. */
    idle: 30_000,
    /** Pause after each batch, as a fraction of its time: other processes poll for the write lock, and must not starve. */
    rest: 0.1,
  },
  stop: {
    /** Milliseconds for work that remains after all transfers (node requests, proofs of delivery) before it is abandoned. */
    grace: 1000,
    /** Milliseconds for the first request of a connection that was accepted before the stop. */
    firstRequest: 3000,
  },
  connections: {
    /** Milliseconds after which a connection is replaced: a new one notices that the address leads to another server. */
    lifetime: 60_000,
    /** Idle milliseconds of a connection before the system probes it, once a second and 10 times. */
    keepAlive: 3000,
    /**
     * Milliseconds between two statements of a transaction before the server ends it: a process that is suspended, or cut off in
     * the middle of one, must not keep its locks from the others.
     */
    idleTransaction: 30_000,
    /** Milliseconds for a second session of a pooler, by which it is tested. A pooler without a free one lets it wait. */
    poolerTimeout: 3000,
  },
  promotion: {
    /** Writes that a process repeats on a promoted standby, at least: 10 s of 500 signed requests per second. */
    recentWrites: 5000,
  },
  lease: {
    /** Milliseconds from renewal to expiry of a lease: another instance leads within 15 s. */
    duration: 10_000,
    /** Milliseconds between renewals: three may be lost. */
    renewInterval: 2500,
    /** Milliseconds for a renewal. Then the connection is replaced. */
    statementTimeout: 5000,
  },
} as const
