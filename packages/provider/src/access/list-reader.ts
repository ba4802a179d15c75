import { type Chain, untrustedView } from '@tidegate/chain'
import type { Address } from 'viem'
import { PROVIDER_LIMITS } from '../limits.js'

const { members: MAX_MEMBERS, slice: SLICE, reread: REREAD } = PROVIDER_LIMITS.accessLists

/** The members of an access list, and the state of the contract when they were read. */
export interface ListRead {
  stamp: string
  /** By `performance.now()`. */
  at: number
  members: ReadonlySet<Address>
}

/**
 * Reads the members of an access list. Returns `known` if the list seems unchanged, or changes while it is read: the number
 * of tokens and the newest one are compared. Transfers and reorganisations may leave those as they are, so that an old
 * reading is repeated. `room`: most members that the list may have. Returns the problem as text if the contract lists no members, or too many. Throws ChainError.
 */
export async function readList(
  chain: Chain,
  list: Address,
  known?: ListRead,
  room: number = MAX_MEMBERS,
): Promise<ListRead | undefined | string> {
  const supply = await view(chain, list, 'totalSupply', [[]])
  if (supply === undefined) return 'is no contract that lists its tokens (ERC-721 Enumerable)'
  const count = supply[0] as bigint
  if (count > BigInt(room)) return `has ${count} members: all lists together may have ${MAX_MEMBERS}`
  const stamp = await stampOf(chain, list, count)
  const isRecent = known && performance.now() - known.at < Math.max(REREAD, Number(count) * 1000)
  if (stamp === undefined || (known?.stamp === stamp && isRecent)) return known
  const at = performance.now()
  const members = await membersOf(chain, list, Number(count))
  const isUnchanged = members && (await stampOf(chain, list, count)) === stamp
  return isUnchanged ? { stamp, at, members } : known
}

/** Identifies the newest token of a list and its owner: ids are never used twice. Undefined if it has changed meanwhile. */
async function stampOf(chain: Chain, list: Address, count: bigint): Promise<string | undefined> {
  if (count === 0n) return 'empty'
  const newest = await view(chain, list, 'tokenByIndex', [[count - 1n]])
  const owner = newest && (await view(chain, list, 'ownerOf', [[newest[0] as bigint]]))
  return owner && [count, newest, owner].join(' ')
}

async function membersOf(chain: Chain, list: Address, count: number): Promise<Set<Address> | undefined> {
  const members = new Set<Address>()
  for (let first = 0; first < count; first += SLICE) {
    const indices = Array.from({ length: Math.min(SLICE, count - first) }, (_, at) => [BigInt(first + at)] as const)
    const ids = await view(chain, list, 'tokenByIndex', indices)
    const owners =
      ids &&
      (await view(
        chain,
        list,
        'ownerOf',
        ids.map((id) => [id as bigint] as const),
      ))
    if (!owners) return undefined
    for (const owner of owners) members.add(owner as Address)
  }
  return members
}

/** Calls a function once for each of some arguments. Undefined if one of the calls fails. Throws ChainError. */
async function view(
  chain: Chain,
  list: Address,
  name: 'totalSupply' | 'tokenByIndex' | 'ownerOf',
  args: readonly (readonly bigint[])[],
): Promise<(bigint | Address)[] | undefined> {
  const answers = await chain.nodes.ask(
    (_client, foreign) => Promise.all(args.map((each) => untrustedView(foreign, list, name, each as never))),
    { accept: (all) => !all.includes(undefined), agreeOn: (all) => all },
  )
  return answers.includes(undefined) ? undefined : (answers as (bigint | Address)[])
}
