import type { IndexProgress } from './progress.js'

/** The settings that decide. Blocks, and milliseconds. */
export interface FreshnessLimits {
  READY_MAX_LAG: number
  READY_MAX_AGE: number
  INDEX_POLL_INTERVAL: number
}

/** Polls that may fail before the head counts as stale, where the poll interval is long. */
const MISSED_POLLS = 3

/**
 * Returns whether the index of a chain is fresh: close to a head that was seen recently, and on the same chain. The age
 * of the head counts, since without responses from nodes the lag does not grow.
 */
export function isCurrent({ block, lag, age, astray }: IndexProgress, settings: FreshnessLimits): boolean {
  const { READY_MAX_LAG, READY_MAX_AGE, INDEX_POLL_INTERVAL } = settings
  if (astray || lag === null || age === null) return false
  // an index that has read nothing knows nothing, however short the chain: nodes may return nothing but the head
  if (block === null && lag > 0) return false
  return lag <= READY_MAX_LAG && age <= Math.max(READY_MAX_AGE, MISSED_POLLS * INDEX_POLL_INTERVAL)
}
