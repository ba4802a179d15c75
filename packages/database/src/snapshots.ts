import type { Query, Result } from './sql.js'

/** Runs a statement of a snapshot. Rejects with SnapshotTimeout at its deadline. */
export type Ask = (query: Query) => Promise<Result>

/** Consistent reads off the event loop. A snapshot ends at its deadline. */
export interface Snapshots {
  /** Maximum concurrent snapshots, so that other statements find a connection. */
  readonly places: number
  /** Maximum milliseconds of a snapshot, if the database has a limit. */
  readonly longest: number
  /**
   * Runs statements in one snapshot. `end`: its deadline, as performance.now(). Rejects with SnapshotTimeout at the deadline,
   * and when `signal` aborts, after its statement has ended.
   */
  read<T>(end: number, work: (ask: Ask) => Promise<T>, signal?: AbortSignal): Promise<T>
}

/** The deadline of a snapshot has passed, nobody waits for it, or its database is closed. */
export class SnapshotTimeout extends Error {
  constructor() {
    super('The time of a snapshot is over.')
  }
}
