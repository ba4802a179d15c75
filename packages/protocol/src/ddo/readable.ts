import type { IndexedAsset } from './indexed.js'
import { type OpenedAsset, opened, type SoldAsset } from './opened.js'
import { isConsumable } from './states.js'
import { ownText, readServices, storedServices } from './stored-services.js'

/** An indexed asset whose document can be served as JSON: from its text, or parsed. */
export type ReadableAsset = SoldAsset & ({ beginning: string } | { beginning: undefined; opened: OpenedAsset })

/**
 * Prepares the document of an asset for JSON; undefined if this provider has none. `beginning`: the document's text
 * without its closing bracket, if it needs no changes: version 4, with no field hidden by its state. Other documents are
 * parsed once while the asset is in memory.
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
  // no valid document is empty
  if (own === '{}') return { asset, services, beginning: undefined, opened: one }
  asset.services = storedServices(text as string, ddo, own)
  return { asset, services, beginning: own.slice(0, -1) }
}
