import type { IndexProgress } from './progress.js'

export interface FreshnessLimits {
  /** Blocks. */
  READY_MAX_LAG: number
  /** Milliseconds. */
  READY_MAX_AGE: number
  /** Milliseconds. */
  INDEX_POLL_INTERVAL: number
}

/** Polls that may fail before the head is stale, if the poll interval is long. */
const MISSED_POLLS = 3

/** Returns whether the index of a chain is fresh: close to a recent head, and not diverged from the chain. */
export function isCurrent({ block, lag, age, astray }: IndexProgress, settings: FreshnessLimits): boolean {
  const { READY_MAX_LAG, READY_MAX_AGE, INDEX_POLL_INTERVAL } = settings
  if (astray || lag === null || age === null) return false
  // an empty index is stale, however short the chain
  if (block === null && lag > 0) return false
  return lag <= READY_MAX_LAG && age <= Math.max(READY_MAX_AGE, MISSED_POLLS * INDEX_POLL_INTERVAL)
}
