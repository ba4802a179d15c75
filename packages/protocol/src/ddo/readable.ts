import type { IndexedAsset } from './indexed.js'
import { type OpenedAsset, opened, type SoldAsset } from './opened.js'
import { isConsumable } from './states.js'
import { ownText, readServices, storedServices } from './stored-services.js'

/** An asset of the index whose document can be written as JSON: from its text, or from all that was parsed. */
export type ReadableAsset = SoldAsset & ({ beginning: string } | { beginning: undefined; opened: OpenedAsset })

/**
 * Prepares the document of an asset to be written as JSON; undefined if this provider has none. `beginning` is all that is
 * the document's own, without the closing bracket: of version 4, with nothing hidden by its state. Documents of publishing
 * libraries are stored as they would be written: those are not parsed if their services were stored as well, and else once for as
 * long as the asset is in memory.
 */
export function readable(asset: IndexedAsset): ReadableAsset | undefined {
  const { ddo: text, state } = asset.metadata
  if (asset.services !== undefined && text !== null && isConsumable(state))
    return { asset, services: readServices(asset.services), beginning: text.slice(0, -1) }
  const one = opened(asset)
  if (!one) return undefined
  const { ddo, subject, services } = one
  if (subject !== ddo || !isConsumable(state)) return { asset, services, beginning: undefined, opened: one }
  const own = ownText(ddo)
  // a document without fields of its own was never valid
  if (own === '{}') return { asset, services, beginning: undefined, opened: one }
  asset.services = storedServices(text as string, ddo, own)
  return { asset, services, beginning: own.slice(0, -1) }
}
