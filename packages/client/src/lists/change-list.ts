import { type Address, decodeEventLog, type Hex, isAddressEqual, type TransactionReceipt } from 'viem'
import { LISTS } from '../chain/abi.js'
import { Sender, type SendOptions, type Transaction } from '../chain/sender.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import {
  checkedAddress,
  factoryOf,
  inTurns,
  isMember,
  type ListOptions,
  listChain,
  listFacts,
  tokensOf,
} from './access-list.js'

/** Most members of one call. */
const MOST = 1_000
/** Members of one transaction: some 150,000 gas each, within the limit of any block. */
const BATCH = 50
/** Most characters of a new list's name. */
const NAME = 60
const SYMBOL = 'ALLOW'

export interface NewAccessList extends ListOptions, SendOptions {
  /** Its name, which everybody can read. */
  name: string
  members?: Address[] | undefined
}

export interface MembersChange {
  list: Address
  /** Members that were added or removed. */
  changed: Address[]
  /** Accounts that were members already, or none. */
  unchanged: Address[]
  transactions: Hex[]
}

export interface MembersOptions extends ListOptions, SendOptions {
  /** Called with the members to change, before the first transaction. An error ends the call, and nothing is sent. */
  confirm?: ((members: readonly Address[]) => void | Promise<void>) | undefined
}

/**
 * Deploys an access list with its first members through the network's factory. The account owns it, and membership cannot
 * be handed on. Throws TidegateError `NO_LIST_FACTORY` on a network without a factory, `BAD_REQUEST`, `NO_WALLET`, …
 *
 * @example
 * const { list } = await createAccessList(context, { name: 'Harbours', members: ['0x…'] })
 * await publish(context, { …, accessLists: [list] })
 */
export async function createAccessList(
  context: Context,
  { name, members = [], chainId, ...options }: NewAccessList,
): Promise<{ list: Address; members: Address[]; transactions: Hex[] }> {
  const title = name.trim()
  if (title === '' || title.length > NAME)
    throw new TidegateError('BAD_REQUEST', `name must have 1 to ${NAME} characters.`)
  const all = distinct(members)
  const chain = await listChain(context, chainId)
  const factory = await factoryOf(context, chain)
  const sender = await Sender.of(context, chain, options)
  const first = all.slice(0, BATCH)
  const receipt = await sender.send({
    to: factory,
    abi: LISTS,
    functionName: 'deployAccessListContract',
    args: [title, SYMBOL, false, sender.address, first, first.map(() => '')],
    what: 'to create the list',
  })
  const list = createdIn(receipt, factory)
  try {
    await mintAll(sender, list, all.slice(BATCH))
  } catch (error) {
    const { code, message, transactions } = error as TidegateError
    throw new TidegateError(code, `${message} The list is ${list}: add the missing members to it.`, { transactions })
  }
  return { list, members: all, transactions: sender.sent }
}

/**
 * Adds members to an access list of the account. Sends nothing for accounts that are members already. Throws TidegateError
 * `NOT_PERMITTED`, `NOT_A_LIST`, `BAD_REQUEST`.
 */
export async function addMembers(
  context: Context,
  list: Address,
  members: readonly Address[],
  { confirm, ...options }: MembersOptions = {},
): Promise<MembersChange> {
  const { sender, address, all } = await ownList(context, list, members, options)
  const held = await inTurns(all, (member) => isMember(sender.moment, address, member))
  const changed = all.filter((_, at) => !held[at])
  if (changed.length > 0) await confirm?.(changed)
  await mintAll(sender, address, changed)
  return { list: address, changed, unchanged: all.filter((_, at) => held[at]), transactions: sender.sent }
}

/**
 * Removes members from an access list of the account, in a transaction for each. Throws TidegateError `NOT_PERMITTED`, also
 * if the contract lets only members remove themselves, `NOT_A_LIST`, `BAD_REQUEST`.
 */
export async function removeMembers(
  context: Context,
  list: Address,
  members: readonly Address[],
  { confirm, ...options }: MembersOptions = {},
): Promise<MembersChange> {
  const { sender, address, all } = await ownList(context, list, members, options)
  const tokens = await inTurns(all, (member) => tokensOf(sender.moment, address, member))
  const burns = tokens.flatMap((held, at) => held.map((token) => burning(address, token, all[at] as Address)))
  const [first] = burns
  if (first && !(await sender.passes(first)))
    throw new TidegateError(
      'NOT_PERMITTED',
      `The contract of the list ${address} does not let its owner remove members: each member can do it, or create a new list without them.`,
    )
  const isHeld = (_: Address, at: number) => (tokens[at] as bigint[]).length > 0
  const changed = all.filter(isHeld)
  if (first) await confirm?.(changed)
  for (const burn of burns) await sender.send(burn)
  const unchanged = all.filter((member, at) => !isHeld(member, at))
  return { list: address, changed, unchanged, transactions: sender.sent }
}

const burning = (to: Address, token: bigint, member: Address): Transaction => ({
  to,
  abi: LISTS,
  functionName: 'burn',
  args: [token],
  what: `to remove ${member}`,
})

/** Returns the sender, if the account owns the list. Throws TidegateError `NOT_PERMITTED`, which names the owner. */
async function ownList(
  context: Context,
  list: Address,
  members: readonly Address[],
  { chainId, ...options }: ListOptions & SendOptions,
) {
  const address = checkedAddress('list', list)
  const all = distinct(members)
  if (all.length === 0) throw new TidegateError('BAD_REQUEST', 'members must contain at least one address.')
  const chain = await listChain(context, chainId)
  const sender = await Sender.of(context, chain, options)
  const { owner } = await listFacts(sender.moment, address, chain)
  if (isAddressEqual(owner, sender.address)) return { sender, address, all }
  throw new TidegateError(
    'NOT_PERMITTED',
    `The list ${address} belongs to ${owner}: ${sender.address} may not change it.`,
  )
}

/** Returns the checked addresses, each once. Throws TidegateError `BAD_REQUEST`. */
function distinct(members: readonly Address[]): Address[] {
  const all = [...new Set(members.map((member) => checkedAddress('members', member)))]
  if (all.length <= MOST) return all
  throw new TidegateError('BAD_REQUEST', `members must contain at most ${MOST} addresses: name them in several calls.`)
}

async function mintAll(sender: Sender, to: Address, members: readonly Address[]): Promise<void> {
  for (let at = 0; at < members.length; at += BATCH) {
    const some = members.slice(at, at + BATCH)
    const args = [some, some.map(() => '')]
    const what = some.length === 1 ? `to add ${some[0]}` : `to add ${some.length} members`
    await sender.send({ to, abi: LISTS, functionName: 'batchMint', args, what })
  }
}

function createdIn({ logs, transactionHash }: TransactionReceipt, factory: Address): Address {
  for (const { address, topics, data } of logs) {
    if (!isAddressEqual(address, factory)) continue
    try {
      const { eventName, args } = decodeEventLog({ abi: LISTS, topics, data })
      if (eventName === 'NewAccessList') return args.contractAddress
    } catch {
      // another kind of event
    }
  }
  throw new TidegateError('NOT_CREATED', `The transaction ${transactionHash} created no access list.`)
}
