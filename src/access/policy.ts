import { type Address, isAddress, isAddressEqual } from 'viem'
import type { Credentials } from '../assets/ddo.js'
import { AccessError } from '../errors.js'

/** On-chain states in which an asset may be consumed: active and unlisted. */
const CONSUMABLE_STATES = new Set([0, 5])

/** Throws AccessError unless the on-chain state allows access. */
export function assertConsumable(state: number): void {
  if (!CONSUMABLE_STATES.has(state)) throw new AccessError('ASSET_NOT_CONSUMABLE', 'Asset is not consumable.')
}

/** States in which metadata caches may read the document: those, and temporarily disabled. */
const READABLE_STATES = new Set([0, 4, 5])

/** Throws AccessError unless the on-chain state lets the document be read. */
export function assertReadable(state: number | undefined): void {
  if (state === undefined || !READABLE_STATES.has(state))
    throw new AccessError('ASSET_NOT_CONSUMABLE', 'The state of the asset does not allow its document to be read.')
}

/** Throws AccessError unless every one of the credentials (of the asset, of the service) admits the consumer. */
export function assertAdmitted(consumer: Address, credentials: (Credentials | null | undefined)[]): void {
  for (const lists of credentials) {
    if (lists && !admits(lists, consumer))
      throw new AccessError(
        'CREDENTIALS_DENIED',
        'Asset is not consumable. The credentials do not admit consumerAddress.',
      )
  }
}

type Entries = NonNullable<Credentials['allow']>

/**
 * Deny wins over allow. An allow list with entries admits only who is named in one of its address entries; entries of
 * an unknown type admit nobody by themselves. An address entry without values restricts nobody: that is what
 * publishing front ends write when a publisher sets no restriction.
 */
function admits({ allow, deny }: Credentials, consumer: Address): boolean {
  if (names(deny ?? [], consumer)) return false
  const restrictions = (allow ?? []).filter((entry) => !isAddressType(entry) || (entry.values ?? []).length > 0)
  return restrictions.length === 0 || names(restrictions, consumer)
}

function names(entries: Entries, consumer: Address): boolean {
  return entries.filter(isAddressType).some((entry) => (entry.values ?? []).some((value) => isSame(value, consumer)))
}

function isAddressType(entry: Entries[number]): boolean {
  return entry.type.toLowerCase() === 'address'
}

function isSame(value: unknown, consumer: Address): boolean {
  return typeof value === 'string' && isAddress(value, { strict: false }) && isAddressEqual(value, consumer)
}
