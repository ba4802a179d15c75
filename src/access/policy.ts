import type { Address } from 'viem'
import { type CredentialEntry, type Credentials, isAddressType, isMalformed, valuesOf } from '../assets/credentials.js'
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
export function assertAdmitted(consumer: Address, credentials: Credentials[]): void {
  for (const lists of credentials) {
    if (!admits(lists, consumer))
      throw new AccessError(
        'CREDENTIALS_DENIED',
        'Asset is not consumable. The credentials do not admit consumerAddress.',
      )
  }
}

/**
 * Deny wins over allow. An allow list with entries admits only who is named in one of its address entries, or in all of
 * its entries where match_allow says so; entries of an unknown type admit nobody by themselves. An address entry
 * with an empty list restricts nobody: that is what publishing front ends write when a publisher sets no restriction.
 * One without a list is malformed, and nobody knows whom it means: it admits nobody, and denies everybody.
 */
function admits({ allow, deny, match_allow: match }: Credentials, consumer: Address): boolean {
  if ((deny ?? []).some((entry) => isMalformed(entry) || names(entry, consumer))) return false
  const restrictions = (allow ?? []).filter((entry) => !isAddressType(entry) || valuesOf(entry)?.length !== 0)
  if (restrictions.length === 0) return true
  const named = restrictions.filter((entry) => names(entry, consumer)).length
  return match === 'all' ? named === restrictions.length : named > 0
}

function names(entry: CredentialEntry, consumer: Address): boolean {
  return isAddressType(entry) && (valuesOf(entry) ?? []).some((value) => isSame(value, consumer))
}

/** A value is an address, an object that holds one (version 5), or * for everybody. */
function isSame(value: unknown, consumer: Address): boolean {
  if (value === '*') return true
  const text = typeof value === 'string' ? value : (value as { address?: unknown } | null)?.address
  // no look at its form: what equals an address is one, and there may be thousands of values
  return typeof text === 'string' && text.length === consumer.length && text.toLowerCase() === consumer.toLowerCase()
}
