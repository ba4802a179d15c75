import { AccessError } from '../errors.js'

/** States in which an asset may be consumed: active and unlisted. */
const CONSUMABLE_STATES = new Set([0, 5])

/** Returns whether an asset in a state may be consumed. Otherwise its metadata and services are hidden. */
export function isConsumable(state: number): boolean {
  return CONSUMABLE_STATES.has(state)
}

/** Throws AccessError unless the on-chain state allows access. */
export function assertConsumable(state: number): void {
  if (!isConsumable(state)) throw new AccessError('ASSET_NOT_CONSUMABLE', 'Asset is not consumable.')
}

/** States in which metadata caches may read the document: also temporarily disabled. */
const READABLE_STATES = new Set([0, 4, 5])

/** Throws AccessError unless the on-chain state allows the document to be read. */
export function assertReadable(state: number | undefined): void {
  if (state === undefined || !READABLE_STATES.has(state))
    throw new AccessError('ASSET_NOT_CONSUMABLE', 'The state of the asset does not allow its document to be read.')
}
