import type { HostedRow } from './hosted-store.js'
import { HOSTING_LIMITS } from './limits.js'

/** Path of public files: the path, the id, and the name of the file. */
export const PUBLIC_PATH = '/api/services/public'

/** Whether anybody may read a file: its Upload-Metadata has the key `public` without a value. */
export function isPublic({ metadata }: Pick<HostedRow, 'metadata'>): boolean {
  return metadata.split(',').includes('public')
}

const NAMED = new RegExp(`${PUBLIC_PATH}/([\\w-]{43})(?![\\w-])`, 'g')

/** Returns the first ids of public files that a text names. */
export function publicIdsIn(text: string): string[] {
  const ids = new Set<string>()
  for (const [, id] of text.matchAll(NAMED)) {
    if (ids.size === HOSTING_LIMITS.hosting.known) break
    ids.add(id as string)
  }
  return [...ids]
}
