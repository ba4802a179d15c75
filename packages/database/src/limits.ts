/**
 * The limits of this package on untrusted input: in size, in count and in time, each with its unit and reason. Settings are in
 * the service.
 */
export const DATABASE_LIMITS = {
  snapshots: {
    /** Snapshots at once in the embedded database of one process: a slow search does not block the others. */
    places: 3,
  },
  batches: {
    /** Milliseconds without a batch after which the thread that writes them ends. */
    idle: 30_000,
    /** The pause after each batch, as a fraction of its time: other processes poll for the write lock, and must not starve. */
    rest: 0.25,
  },
  stop: {
    /** Milliseconds for what is still in flight after the transfers (node requests, proofs of delivery); then it is abandoned. */
    grace: 1000,
    /** Milliseconds to wait for the first request of a connection that was accepted before the service stops. */
    firstRequest: 3000,
  },
  lease: {
    /** Milliseconds after its last renewal at which a lease expires: another instance leads within 15 s. */
    duration: 10_000,
    /** Milliseconds between renewals: three may be lost. */
    renewInterval: 2500,
    /** Milliseconds for each renewal; then the connection is replaced. */
    statementTimeout: 5000,
  },
} as const
