import type { Query, Result } from './sql.js'

/** Runs a statement of a snapshot. Rejects with SnapshotTimeout at its deadline. */
export type Ask = (query: Query) => Promise<Result>

/** Reads that see one state of the database, off the event loop, and that end at a deadline whatever they ask. */
export interface Snapshots {
  /** Number that may run at once, so that the other statements of the service find a connection. */
  readonly places: number
  /** The most milliseconds that one may take, where the database has a limit of its own. */
  readonly longest: number
  /** Runs statements of one snapshot. `end`: its deadline, as of performance.now(). Rejects with SnapshotTimeout. */
  read<T>(end: number, work: (ask: Ask) => Promise<T>): Promise<T>
}

/** The deadline of a snapshot has passed, or its database was closed. */
export class SnapshotTimeout extends Error {
  constructor() {
    super('The time of a snapshot is over.')
  }
}
