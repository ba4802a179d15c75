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

/** The access lists, and the chain of lists that name none. */
export interface AccessListsOfAsset {
  lists: AccessLists
  chainId: number
}

/** A decision; undefined if an access list without an answer decides. */
type Verdict = boolean | undefined

/** Whether the consumer is a member of an access list, for an entry under `allow` or `deny`. */
type Membership = (entry: AccessListEntry, under: 'allow' | 'deny') => Verdict

const NOT_ASKED: Membership = () => undefined

/**
 * Throws AccessError unless all credentials (of the asset and of the service) admit the consumer. Throws ChainError if
 * an access list without an answer decides. Returns a promise only if access lists decide, since they need the chain.
 */
export function assertAdmitted(
  consumer: Address,
  credentials: Credentials[],
  where: AccessListsOfAsset,
): Promise<void> | undefined {
  const undecided = credentials.filter((one) => !settled(one, consumer.toLowerCase(), NOT_ASKED))
  return undecided.length > 0 ? askLists(consumer, undecided, where) : undefined
}

/** Queries all access lists in question at once, and decides by their answers. */
async function askLists(consumer: Address, undecided: Credentials[], where: AccessListsOfAsset): Promise<void> {
  const address = consumer.toLowerCase()
  const answers = new Map<AccessListEntry, Verdict>()
  let failure: ChainError | undefined
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
  // a list without an answer allows nobody; the accounts that it denies are unknown
  const member: Membership = (entry, under) =>
    answers.get(entry) ?? (under === 'allow' && !unreachable.has(entry) ? false : undefined)
  const open = undecided.filter((one) => !settled(one, address, member))
  if (open.length > 0) throw failure ?? noAnswer()
}

function noAnswer(): ChainError {
  return new ChainError('CREDENTIALS_UNAVAILABLE', 'An access list that the credentials name gives no answer.')
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

/** Malformed entries deny everybody. Entries of an unknown type and empty address entries deny nobody. */
function isDenied({ deny, matchDeny }: Credentials, consumer: string, member: Membership): Verdict {
  const verdicts = deny
    .filter(({ kind }) => kind !== 'open' && kind !== 'unknown')
    .map((entry) => entry.kind === 'malformed' || names(entry, consumer, (list) => member(list, 'deny')))
  return verdicts.length === 0 ? false : matched(matchDeny, verdicts)
}

/**
 * An allow list with entries admits only consumers that one entry names, or every entry with match `all`. An empty
 * address entry admits everybody: publishing front ends write it for "no restriction". Malformed entries and entries of
 * an unknown type admit nobody.
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

/** Returns whether any verdict, or every one, is true; undefined if an undecided verdict decides. */
function matched(match: Match, verdicts: Verdict[]): Verdict {
  const decisive = match === 'any'
  if (verdicts.includes(decisive)) return decisive
  return verdicts.includes(undefined) ? undefined : !decisive
}
