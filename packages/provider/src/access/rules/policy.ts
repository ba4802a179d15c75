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

/** What decides beside the document itself. */
export interface Judges {
  lists: AccessLists
  /** The chain of access lists that name none. */
  chainId: number
  /** Whether a policy server decides about entries of foreign types. Without one they admit nobody. */
  hasPolicies: boolean
}

/** A decision; undefined if an entry without an answer decides. */
type Verdict = boolean | undefined

/** Whether the consumer is a member of an access list, for an entry under `allow` or `deny`. */
type Membership = (entry: AccessListEntry, under: 'allow' | 'deny') => Verdict

/** The answers that the entries of one check have so far. */
interface Answers {
  member: Membership
  /** Whether the policy server admits the consumer. */
  policy: Verdict
}

/**
 * Throws AccessError unless all credentials (of the asset and of the service) admit the consumer, or may do so by entries of
 * foreign types. Returns whether these decide, which the policy server then must be asked. Throws ChainError if an access
 * list without an answer decides. Returns a promise only if access lists decide, since they need the chain.
 */
export function assertAdmitted(
  consumer: Address,
  credentials: Credentials[],
  judges: Judges,
): Promise<boolean> | boolean {
  const unasked: Answers = { member: () => undefined, policy: judges.hasPolicies ? undefined : false }
  const address = consumer.toLowerCase()
  const undecided = credentials.filter((one) => !settled(one, address, unasked))
  const lists = undecided.flatMap((one) => listsThatMatter(one, address, unasked))
  return lists.length > 0 ? askLists(consumer, undecided, lists, judges) : undecided.length > 0
}

/** Queries all access lists in question at once, and decides by their answers. */
async function askLists(
  consumer: Address,
  undecided: Credentials[],
  lists: AccessListEntry[],
  judges: Judges,
): Promise<boolean> {
  const address = consumer.toLowerCase()
  const answers = new Map<AccessListEntry, Verdict>()
  let failure: ChainError | undefined
  const unreachable = new Set<AccessListEntry>()
  const ask = async (entry: AccessListEntry) => {
    try {
      const list = { chainId: entry.chainId ?? judges.chainId, list: entry.list }
      answers.set(entry, await judges.lists.has(list, consumer))
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      unreachable.add(entry)
      failure = error
    }
  }
  await Promise.all(lists.map(ask))
  // a list without an answer allows nobody; the accounts that it denies are unknown
  const member: Membership = (entry, under) =>
    answers.get(entry) ?? (under === 'allow' && !unreachable.has(entry) ? false : undefined)
  const policy = judges.hasPolicies ? undefined : false
  const open = undecided.filter((one) => !settled(one, address, { member, policy }))
  // whatever the policy server says of these, a list decides that gives no answer
  if (open.some((one) => !settled(one, address, { member, policy: true }))) throw failure ?? noAnswer()
  return open.length > 0
}

function noAnswer(): ChainError {
  return new ChainError('CREDENTIALS_UNAVAILABLE', 'An access list that the credentials name gives no answer.')
}

function listsThatMatter(credentials: Credentials, consumer: string, unasked: Answers): AccessListEntry[] {
  const entries = [
    ...(isDenied(credentials, consumer, unasked) === undefined ? credentials.deny : []),
    ...(isAllowed(credentials, consumer, unasked) === undefined ? credentials.allow : []),
  ]
  return entries.filter((entry) => entry.kind === 'accessList')
}

/** Whether these credentials certainly admit the consumer. Throws AccessError if they certainly do not. */
function settled(credentials: Credentials, consumer: string, answers: Answers): boolean {
  const denied = isDenied(credentials, consumer, answers)
  const allowed = isAllowed(credentials, consumer, answers)
  if (denied === true) throw notAdmitted('CREDENTIAL_IN_DENY_LIST')
  if (allowed === false) throw notAdmitted('CREDENTIAL_NOT_IN_ALLOW_LIST')
  return denied === false && allowed === true
}

/** `legacy`: the code of the first provider, which market front ends look for in the text. */
function notAdmitted(legacy: 'CREDENTIAL_IN_DENY_LIST' | 'CREDENTIAL_NOT_IN_ALLOW_LIST'): AccessError {
  return new AccessError(
    'CREDENTIALS_DENIED',
    `Asset is not consumable. The credentials do not admit consumerAddress (denied with code: ConsumableCodes.${legacy}).`,
  )
}

/** Malformed entries deny everybody. Entries of foreign types and empty address entries deny nobody. */
function isDenied({ deny, matchDeny }: Credentials, consumer: string, { member }: Answers): Verdict {
  const verdicts = deny
    .filter(({ kind }) => kind !== 'open' && kind !== 'foreign')
    .map((entry) => entry.kind === 'malformed' || names(entry, consumer, (list) => member(list, 'deny'), false))
  return verdicts.length === 0 ? false : matched(matchDeny, verdicts)
}

/**
 * An allow list with entries admits only consumers that one entry names, or every entry with match `all`. An empty
 * address entry admits everybody: publishing front ends write it for "no restriction". Malformed entries admit nobody.
 */
function isAllowed({ allow, matchAllow }: Credentials, consumer: string, { member, policy }: Answers): Verdict {
  const verdicts = allow
    .filter(({ kind }) => kind !== 'open')
    .map((entry) => names(entry, consumer, (list) => member(list, 'allow'), policy))
  return verdicts.length === 0 ? true : matched(matchAllow, verdicts)
}

function names(
  entry: CredentialEntry,
  consumer: string,
  member: (list: AccessListEntry) => Verdict,
  policy: Verdict,
): Verdict {
  if (entry.kind === 'accessList') return member(entry)
  if (entry.kind === 'foreign') return policy
  return entry.kind === 'addresses' && (entry.addresses.has('*') || entry.addresses.has(consumer))
}

/** Returns whether any verdict, or every one, is true; undefined if an undecided verdict decides. */
function matched(match: Match, verdicts: Verdict[]): Verdict {
  const decisive = match === 'any'
  if (verdicts.includes(decisive)) return decisive
  return verdicts.includes(undefined) ? undefined : !decisive
}
