import type { IndexedAsset } from '../state/store.js'
import { withoutAdded } from './added-fields.js'
import { type OpenedAsset, opened, type SoldAsset } from './opened.js'
import { isConsumable } from './states.js'

/** An asset of the index whose document can be written as JSON: from its text, or from all that was parsed. */
export type ReadableAsset = SoldAsset & ({ beginning: string } | { beginning: undefined; opened: OpenedAsset })

/** Services of documents that are stored as they would be written, by their assets: the text alone says the rest. */
const asStored = new WeakMap<IndexedAsset, SoldAsset['services']>()

/**
 * Prepares the document of an asset to be written as JSON; undefined where this provider has none. `beginning` is all that is
 * the document's own, without the closing bracket: of version 4, with nothing hidden by its state. Documents of publishing
 * libraries are stored as they would be written: those are parsed once for as long as the asset is in memory.
 */
export function readable(asset: IndexedAsset): ReadableAsset | undefined {
  const { ddo: text, state } = asset.metadata
  const known = asStored.get(asset)
  if (known && text !== null) return { asset, services: known, beginning: text.slice(0, -1) }
  const one = opened(asset)
  if (!one) return undefined
  const { ddo, subject, services } = one
  if (subject !== ddo || !isConsumable(state)) return { asset, services, beginning: undefined, opened: one }
  const own = JSON.stringify(withoutAdded(ddo))
  // a document without fields of its own was never valid
  if (own === '{}') return { asset, services, beginning: undefined, opened: one }
  const sold = services.map(({ id, datatokenAddress }) => ({ id, datatokenAddress }))
  if (own === text) asStored.set(asset, sold)
  return { asset, services: sold, beginning: own.slice(0, -1) }
}
