/** Fields that metadata caches, this index among them, add to a document. */
const ADDED = new Set(['nft', 'datatokens', 'event', 'stats', 'purgatory', 'accessDetails', 'indexedMetadata'])

/** Returns a document without the fields that metadata caches add. */
export function withoutAdded(document: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).filter(([field]) => !ADDED.has(field)))
}
