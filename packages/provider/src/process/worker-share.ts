import type { Settings } from '../config/schema.js'

/** Maxima of a whole service, and the least that each worker gets. */
const SHARED = {
  MAX_CONNECTIONS: 1,
  MAX_DOWNLOADS: 1,
  MAX_ANONYMOUS: 1,
  STORAGE_MAX_REQUESTS: 1,
  STORAGE_MAX_PER_HOST: 1,
  DESCRIBE_MAX_REQUESTS: 1,
  DESCRIBE_MAX_PER_HOST: 1,
  HOSTING_MAX_UPLOADS: 1,
  // a search takes one of them for seconds
  DATABASE_CONNECTIONS: 2,
} as const satisfies Partial<Record<keyof Settings, number>>

/**
 * Returns the settings of one worker: maxima of the service are divided, so that they hold for all workers together. The
 * primary process gives each worker as many connections, one after another.
 */
export function shareOf(settings: Settings): Settings {
  const share = { ...settings }
  for (const [name, least] of Object.entries(SHARED) as [keyof typeof SHARED, number][])
    share[name] = Math.max(least, Math.floor(settings[name] / settings.WORKERS))
  return share
}
