import type { Address } from 'viem'
import * as z from 'zod'
import { checksummed, isAddressText } from '../crypto/address.js'
import { PROTOCOL_LIMITS } from '../limits.js'

const LIMITS = PROTOCOL_LIMITS.document

/**
 * An entry of an allow or deny list. Supported types: `address` and `accessList`; a policy server may decide about others. Faults
 * in other fields keep the document valid: the check of a consumer handles malformed entries.
 */
const credential = z.looseObject({
  type: z.string().max(LIMITS.name, `must not be longer than ${LIMITS.name} characters`),
  values: z.unknown().optional(),
  accessList: z.unknown().optional(),
  chainId: z.unknown().optional(),
})

const credentials = z.looseObject({
  allow: z.array(credential).nullish(),
  deny: z.array(credential).nullish(),
  /** Whether one entry (`any`) or every entry (`all`) must name the consumer. */
  match_allow: z.unknown().optional(),
  match_deny: z.unknown().optional(),
})

/**
 * The credentials of a document. Version 4 has one object. Version 5 may also have a list of such objects, or of plain
 * entries, which count as allowed.
 */
export function credentialsField(version: 4 | 5) {
  return z
    .union([credentials, z.array(z.union([credential, credentials]))])
    .nullish()
    .transform((value): Credentials[] => {
      const list = Array.isArray(value) ? value : value ? [value] : []
      const entries = list.filter((entry) => 'type' in entry).map(asEntry)
      const objects = list.filter((entry): entry is Written => !('type' in entry))
      return (entries.length > 0 ? [...objects, { allow: entries }] : objects).map((written) =>
        prepared(written, version),
      )
    })
}

type Written = z.infer<typeof credentials>
type WrittenEntry = z.infer<typeof credential>

/** Converts a plain entry. A type that is no text becomes an unknown one. */
function asEntry({ type, ...rest }: Record<string, unknown>): WrittenEntry {
  return { ...rest, type: typeof type === 'string' ? type : '' }
}

/** The credentials of an asset or service, prepared once: no request iterates over thousands of values. */
export interface Credentials {
  allow: CredentialEntry[]
  deny: CredentialEntry[]
  /** Whether one entry or every entry must name the consumer. */
  matchAllow: Match
  matchDeny: Match
}

export type Match = 'any' | 'all'

/**
 * An entry. `addresses`: lower-case addresses of consumers, or `*`. `accessList`: a contract with members. `open`: an
 * empty address entry. `malformed`: names nobody. `foreign`: another type, such as SSIpolicy.
 */
export type CredentialEntry =
  | { kind: 'addresses'; addresses: ReadonlySet<string> }
  | AccessListEntry
  | { kind: 'open' | 'malformed' | 'foreign' }

export interface AccessListEntry {
  kind: 'accessList'
  list: Address
  /** Undefined: chain of the asset. */
  chainId: number | undefined
}

function prepared({ allow, deny, ...match }: Written, version: 4 | 5): Credentials {
  return {
    allow: (allow ?? []).map(entryOf),
    deny: (deny ?? []).map(entryOf),
    // an unknown value counts as the stricter one
    matchAllow: matchOf(match.match_allow, version === 5 ? 'all' : 'any', 'all'),
    matchDeny: matchOf(match.match_deny, 'any', 'any'),
  }
}

function matchOf(written: unknown, otherwise: Match, stricter: Match): Match {
  if (written === undefined || written === null) return otherwise
  const word = typeof written === 'string' && written.length === 3 ? written.toLowerCase() : ''
  return word === 'any' || word === 'all' ? word : stricter
}

/** Whether an entry of this type names an access list. */
export function isAccessListType(type: unknown): boolean {
  return typeof type === 'string' && /^accesslist$/i.test(type)
}

function entryOf({ type, values, accessList, chainId }: WrittenEntry): CredentialEntry {
  if (isAccessListType(type)) return accessListOf(accessList, chainId)
  if (type.toLowerCase() !== 'address') return { kind: 'foreign' }
  if (!Array.isArray(values)) return { kind: 'malformed' }
  if (values.length === 0) return { kind: 'open' }
  const addresses = new Set<string>()
  for (const value of values) {
    const address = addressIn(value)
    if (address !== undefined) addresses.add(address)
  }
  return { kind: 'addresses', addresses }
}

function accessListOf(list: unknown, chainId: unknown): CredentialEntry {
  if (typeof list !== 'string' || !isAddressText(list)) return { kind: 'malformed' }
  const ofAsset = chainId === undefined || chainId === null
  if (!ofAsset && !(Number.isSafeInteger(chainId) && (chainId as number) > 0)) return { kind: 'malformed' }
  return { kind: 'accessList', list: checksummed(list as Address), chainId: ofAsset ? undefined : (chainId as number) }
}

/** Returns the address in a value: a text, an object with one (version 5), or `*`. Other values name nobody. */
function addressIn(value: unknown): string | undefined {
  if (value === '*') return value
  const text = typeof value === 'string' ? value : (value as { address?: unknown } | null)?.address
  if (typeof text !== 'string' || text.length !== 42) return undefined
  // checks the format first: lower-casing some letters is ten times slower
  return /^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : undefined
}
