import { type Chain, untrustedView } from '@tidegate/chain'
import type { Address } from 'viem'
import { PROVIDER_LIMITS } from '../../limits.js'

const { members: MAX_MEMBERS, slice: SLICE, reread: REREAD } = PROVIDER_LIMITS.accessLists

/** The members of an access list, and the state of the contract when they were read. */
export interface ListRead {
  stamp: string
  /** By `performance.now()`. */
  at: number
  members: ReadonlySet<Address>
}

/**
 * Reads the members of an access list. Returns `known` if the number of tokens and the newest one are the same, or if the list
 * changes meanwhile. An old reading is repeated, since transfers and reorganisations may change no more than owners. `room`:
 * most members. Returns the problem as text if there is no reading. Throws ChainError.
 */
export async function readList(
  chain: Chain,
  list: Address,
  known?: ListRead,
  room: number = MAX_MEMBERS,
): Promise<ListRead | string> {
  const reading = { chain, list, since: 0 }
  const supply = await view(reading, 'totalSupply')
  if (supply === undefined) return UNLISTED
  const count = supply[0] as bigint
  if (count > BigInt(room)) return `has ${count} members: all lists together may have ${MAX_MEMBERS}`
  const stamp = await stampOf(reading, count)
  const isRecent = known && performance.now() - known.at < Math.max(REREAD, Number(count) * 1000)
  if (stamp !== undefined && known?.stamp === stamp && isRecent) return known
  const at = performance.now()
  const members = stamp === undefined ? undefined : await membersOf(reading, Number(count))
  if (stamp === undefined || !members) return known ?? UNLISTED
  return (await stampOf(reading, count)) === stamp ? { stamp, at, members } : (known ?? 'changes while it is read')
}

/** A reading of a list. Its blocks do not go backwards, or an old stamp would confirm members of a newer block. */
interface Reading {
  chain: Chain
  list: Address
  /** The block of the last call. */
  since: number
}

const UNLISTED = 'is no contract that lists its tokens (ERC-721 Enumerable)'

/** Identifies the newest token of a list and its owner: ids are never used twice. Undefined if there is none now. */
async function stampOf(reading: Reading, count: bigint): Promise<string | undefined> {
  if (count === 0n) return 'empty'
  const newest = await view(reading, 'tokenByIndex', [count - 1n])
  const owner = newest && (await view(reading, 'ownerOf', newest as bigint[]))
  return owner && [count, newest, owner].join(' ')
}

async function membersOf(reading: Reading, count: number): Promise<Set<Address> | undefined> {
  const members = new Set<Address>()
  for (let first = 0; first < count; first += SLICE) {
    const indices = Array.from({ length: Math.min(SLICE, count - first) }, (_, at) => BigInt(first + at))
    const ids = await view(reading, 'tokenByIndex', indices)
    const owners = ids && (await view(reading, 'ownerOf', ids as bigint[]))
    if (!owners) return undefined
    for (const owner of owners) members.add(owner as Address)
  }
  return members
}

/** Calls a function once for each number, or once without one. Undefined if one of the calls fails. Throws ChainError. */
async function view(
  reading: Reading,
  name: 'totalSupply' | 'tokenByIndex' | 'ownerOf',
  numbers?: readonly bigint[],
): Promise<(bigint | Address)[] | undefined> {
  const calls = numbers?.map((number) => [number]) ?? [[]]
  const { chain, list, since } = reading
  const { answers, block } = await chain.nodes.ask(
    async (_client, foreign, _abilities, moment) => ({
      answers: await Promise.all(calls.map((args) => untrustedView(foreign, list, name, args as never))),
      block: await moment.block(),
    }),
    { since, accept: ({ answers }) => !answers.includes(undefined), agreeOn: ({ answers }) => answers },
  )
  reading.since = block
  return answers.includes(undefined) ? undefined : (answers as (bigint | Address)[])
}
