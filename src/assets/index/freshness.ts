import type { Settings } from '../../config/schema.js'
import type { IndexProgress } from './follower.js'

type Limits = Pick<Settings, 'READY_MAX_LAG' | 'READY_MAX_AGE' | 'INDEX_POLL_INTERVAL'>

/** So many looks at the head may fail before what was seen last counts as old, where they are rare. */
const MISSED_LOOKS = 3

/**
 * Whether the index of a chain may be believed: it is near the head, which was seen not long ago, and on the same chain. Where no node
 * answers the head stays where it was, and with it the lag, whatever happens on the chain.
 */
export function isCurrent({ lag, age, astray }: IndexProgress, settings: Limits): boolean {
  const { READY_MAX_LAG, READY_MAX_AGE, INDEX_POLL_INTERVAL } = settings
  if (astray || lag === null || age === null) return false
  return lag <= READY_MAX_LAG && age <= Math.max(READY_MAX_AGE, MISSED_LOOKS * INDEX_POLL_INTERVAL)
}
