import {
  AccessError,
  type AccessListEntry,
  ChainError,
  type CredentialEntry,
  type Credentials,
  type Match,
} from '@tidegate/protocol'
import type { Address } from 'viem'
import type { AccessLists } from './access-lists.js'

/** Where access lists are queried. A list that names no chain is on the chain of the asset. */
export interface AccessListsOfAsset {
  lists: AccessLists
  chainId: number
}

/** A decision; undefined if it depends on an access list that has not answered. */
type Verdict = boolean | undefined

/** Whether the consumer is a member of an access list, for an entry under `allow` or `deny`. */
type Membership = (entry: AccessListEntry, under: 'allow' | 'deny') => Verdict

const NOT_ASKED: Membership = () => undefined

/**
 * Throws unless every one of the credentials (of the asset, of the service) admits the consumer: AccessError, or
 * ChainError if that depends on an access list that gives no answer. Returns a promise only if access lists decide,
 * which requires a query to the chain; their answers are cached for a short time.
 */
export function assertAdmitted(
  consumer: Address,
  credentials: Credentials[],
  where: AccessListsOfAsset,
): Promise<void> | undefined {
  const undecided = credentials.filter((one) => !settled(one, consumer.toLowerCase(), NOT_ASKED))
  return undecided.length > 0 ? askLists(consumer, undecided, where) : undefined
}

/** Queries all access lists that the verdict may depend on concurrently, and decides by their answers. */
async function askLists(consumer: Address, undecided: Credentials[], where: AccessListsOfAsset): Promise<void> {
  const address = consumer.toLowerCase()
  const answers = new Map<AccessListEntry, Verdict>()
  let failure = new ChainError('CREDENTIALS_UNAVAILABLE', 'An access list that the credentials name gives no answer.')
  const unreachable = new Set<AccessListEntry>()
  const ask = async (entry: AccessListEntry) => {
    try {
      const list = { chainId: entry.chainId ?? where.chainId, list: entry.list }
      answers.set(entry, await where.lists.has(list, consumer))
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      unreachable.add(entry)
      failure = error
    }
  }
  await Promise.all(undecided.flatMap((one) => listsThatMatter(one, address)).map(ask))
  // a list that gives no answer allows nobody; whom it would deny is unknown
  const member: Membership = (entry, under) =>
    answers.get(entry) ?? (under === 'allow' && !unreachable.has(entry) ? false : undefined)
  const open = undecided.filter((one) => !settled(one, address, member))
  if (open.length > 0) throw failure
}

function listsThatMatter(credentials: Credentials, consumer: string): AccessListEntry[] {
  const entries = [
    ...(isDenied(credentials, consumer, NOT_ASKED) === undefined ? credentials.deny : []),
    ...(isAllowed(credentials, consumer, NOT_ASKED) === undefined ? credentials.allow : []),
  ]
  return entries.filter((entry) => entry.kind === 'accessList')
}

/** Whether these credentials certainly admit the consumer. Throws AccessError if they certainly do not. */
function settled(credentials: Credentials, consumer: string, member: Membership): boolean {
  const denied = isDenied(credentials, consumer, member)
  const allowed = isAllowed(credentials, consumer, member)
  if (denied === true || allowed === false) {
    // market front ends look for this code of the first provider in the text
    const legacy = denied === true ? 'CREDENTIAL_IN_DENY_LIST' : 'CREDENTIAL_NOT_IN_ALLOW_LIST'
    throw new AccessError(
      'CREDENTIALS_DENIED',
      `Asset is not consumable. The credentials do not admit consumerAddress (denied with code: ConsumableCodes.${legacy}).`,
    )
  }
  return denied === false && allowed === true
}

/**
 * Malformed entries deny everybody. Those of an unknown type, and address entries with an empty list, deny nobody.
 */
function isDenied({ deny, matchDeny }: Credentials, consumer: string, member: Membership): Verdict {
  const verdicts = deny
    .filter(({ kind }) => kind !== 'open' && kind !== 'unknown')
    .map((entry) => entry.kind === 'malformed' || names(entry, consumer, (list) => member(list, 'deny')))
  return verdicts.length === 0 ? false : matched(matchDeny, verdicts)
}

/**
 * An allow list with entries admits only consumers named by one of them, or by all. An address entry with an empty list
 * restricts nobody: that is what publishing front ends write when a publisher sets no restriction. Entries of an
 * unknown type and malformed ones admit nobody.
 */
function isAllowed({ allow, matchAllow }: Credentials, consumer: string, member: Membership): Verdict {
  const verdicts = allow
    .filter(({ kind }) => kind !== 'open')
    .map((entry) => names(entry, consumer, (list) => member(list, 'allow')))
  return verdicts.length === 0 ? true : matched(matchAllow, verdicts)
}

function names(entry: CredentialEntry, consumer: string, member: (list: AccessListEntry) => Verdict): Verdict {
  if (entry.kind === 'accessList') return member(entry)
  return entry.kind === 'addresses' && (entry.addresses.has('*') || entry.addresses.has(consumer))
}

/** Whether any, or all, are true; undefined if that depends on an undecided one. */
function matched(match: Match, verdicts: Verdict[]): Verdict {
  const decisive = match === 'any'
  if (verdicts.includes(decisive)) return decisive
  return verdicts.includes(undefined) ? undefined : !decisive
}
