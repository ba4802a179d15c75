import { printable } from '@tidegate/protocol/values'
import { type Address, decodeEventLog, encodeEventTopics, getAddress, isAddress, pad } from 'viem'
import { addressOf } from '../auth/signing.js'
import { LISTS } from '../chain/abi.js'
import { accessListFactory, onlyChain } from '../chain/contracts.js'
import { type Moment, momentOf } from '../chain/moment.js'
import { ask, mustView, view } from '../chain/reads.js'
import { scanLogs } from '../chain/scan.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'

/** Members of one page, and the number that is read concurrently. */
const PAGE = 50
const AT_ONCE = 10
/** Most characters of a shown name. */
const NAME = 100

/** One page of an access list: a contract whose owner decides who is a member. */
export interface AccessList {
  address: Address
  chainId: number
  /** The list's own claim. */
  name: string
  /** The account that may add and remove members. */
  owner: Address
  /** Number of entries. */
  total: number
  page: number
  members: Address[]
  /** Whether the next page has members. */
  more: boolean
}

export interface ListOptions {
  /** Chain of the list. Default: the wallet's, without a wallet the only chain of the provider. */
  chainId?: number | undefined
}

/**
 * Returns a page of an access list, numbered from 1, in the order of the contract. Throws TidegateError `NOT_A_LIST`,
 * `BAD_REQUEST`, `CHAIN_UNREACHABLE`.
 *
 * @example
 * const { name, owner, total, members } = await accessList(context, '0x…')
 */
export async function accessList(
  context: Context,
  list: Address,
  { page = 1, chainId }: ListOptions & { page?: number | undefined } = {},
): Promise<AccessList> {
  if (!Number.isSafeInteger(page) || page < 1 || page > LIMITS.listPages)
    throw new TidegateError('BAD_REQUEST', 'page must be a number from 1.')
  const address = checkedAddress('list', list)
  const chain = await listChain(context, chainId)
  const moment = await momentOf(context, chain)
  const { owner, total, name } = await listFacts(moment, address, chain)
  const from = (page - 1) * PAGE
  const indexes = Array.from({ length: Math.max(0, Math.min(PAGE, total - from)) }, (_, at) => BigInt(from + at))
  const members = await inTurns(indexes, async (index) => {
    const token = await view(moment, address, 'tokenByIndex', [index])
    return token === undefined ? undefined : view(moment, address, 'ownerOf', [token])
  })
  const found = members.filter((member) => member !== undefined)
  return { address, chainId: chain, name, owner, total, page, members: found, more: from + PAGE < total }
}

/**
 * Returns the access lists that the network's factory made for an account, newest first. `incomplete`: the node returns
 * only the newest blocks. Throws TidegateError `NO_LIST_FACTORY`, `NO_WALLET`.
 */
export async function accessListsOf(
  context: Context,
  owner?: Address,
  { chainId }: ListOptions = {},
): Promise<{ lists: Address[]; incomplete: boolean }> {
  const account = owner ? getAddress(owner) : await addressOf(context)
  const chain = await listChain(context, chainId)
  const [address, moment] = await Promise.all([factoryOf(context, chain), momentOf(context, chain)])
  const [topic] = encodeEventTopics({ abi: LISTS, eventName: 'NewAccessList' })
  const time = new Date()
  const { found, incompleteBefore } = await scanLogs(
    moment,
    { topics: [topic, null, pad(account)], address },
    (log) => {
      const { topics, data } = log
      const { args } = decodeEventLog({ abi: LISTS, eventName: 'NewAccessList', topics, data, strict: true })
      return args.owner === account ? { list: args.contractAddress, time } : undefined
    },
  )
  return { lists: found.map(({ list }) => list), incomplete: incompleteBefore !== undefined }
}

/** Returns whether an account is a member of a list, as the provider decides it: it holds one of the contract's tokens. */
export async function isMember(moment: Moment, list: Address, account: Address): Promise<boolean> {
  return ((await view(moment, list, 'balanceOf', [account])) ?? 0n) > 0n
}

/** Throws TidegateError `BAD_REQUEST` for a contract that answers no question of membership: nobody could buy. */
export async function assertLists(moment: Moment, lists: readonly Address[], account: Address): Promise<void> {
  for (const list of lists)
    if ((await view(moment, list, 'balanceOf', [account])) === undefined)
      throw new TidegateError('BAD_REQUEST', `accessLists contains ${list}, which is no access list of this chain.`)
}

/** Name, owner and number of entries. Throws TidegateError `NOT_A_LIST`. */
export async function listFacts(
  moment: Moment,
  list: Address,
  chainId: number,
): Promise<{ owner: Address; total: number; name: string }> {
  const [owner, total, name] = await Promise.all([
    view(moment, list, 'owner', []),
    view(moment, list, 'totalSupply', []),
    view(moment, list, 'name', []),
  ])
  if (owner === undefined || total === undefined)
    throw new TidegateError('NOT_A_LIST', `There is no access list at ${list} on chain ${chainId}.`)
  const most = BigInt(Number.MAX_SAFE_INTEGER)
  return { owner, total: Number(total < most ? total : most), name: printable(name ?? '', NAME) }
}

/** Returns the factory of access lists. Throws TidegateError `NO_LIST_FACTORY` on a network without one. */
export async function factoryOf(context: Context, chainId: number): Promise<Address> {
  const factory = await accessListFactory(context, chainId)
  if (factory) return factory
  throw new TidegateError(
    'NO_LIST_FACTORY',
    `The network of chain ${chainId} has no factory of access lists. Name the buyers in the asset itself (access), or use the address of a list that exists.`,
  )
}

/** Returns the chain of a list. */
export async function listChain(context: Context, chainId: number | undefined): Promise<number> {
  if (chainId !== undefined) return chainId
  return context.wallet ? ask(context.wallet.getChainId()) : onlyChain(context)
}

/** Throws TidegateError `BAD_REQUEST`, which names the field, for text that is no address or has a wrong checksum. */
export function checkedAddress(field: string, text: string): Address {
  if (isAddress(text)) return getAddress(text)
  const why = isAddress(text, { strict: false }) ? 'whose upper and lower case do not fit' : 'which is no address'
  throw new TidegateError('BAD_REQUEST', `${field} contains ${printable(text, 60)}, ${why}.`)
}

/** Applies an action to all items, some at once, in order. */
export async function inTurns<T, R>(items: readonly T[], action: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(action))))
  return results
}

/** Returns the tokens of a member, at most ten. */
export async function tokensOf(moment: Moment, list: Address, member: Address): Promise<bigint[]> {
  const balance = await mustView(moment, list, 'balanceOf', [member])
  const indexes = Array.from({ length: Math.min(Number(balance), AT_ONCE) }, (_, at) => BigInt(at))
  return inTurns(indexes, (index) => mustView(moment, list, 'tokenOfOwnerByIndex', [member, index]))
}
