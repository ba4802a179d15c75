/** Fields that metadata caches and this index add to a document. */
const ADDED = new Set(['nft', 'datatokens', 'event', 'stats', 'purgatory', 'accessDetails', 'indexedMetadata'])

/** Returns a document without the added fields. */
export function withoutAdded(document: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).filter(([field]) => !ADDED.has(field)))
}
