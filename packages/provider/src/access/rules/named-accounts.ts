import type { Address } from 'viem'
import type { AccessLists } from './access-lists.js'

/** Accounts named in the settings: by address, or as members of access lists. */
export interface NamedAccounts {
  addresses: readonly Address[]
  lists: ReadonlyMap<number, readonly Address[]>
}

/** Combines two settings. Returns undefined if neither is set: everybody is allowed. */
export function namedAccounts(
  addresses: readonly Address[] | undefined,
  lists: ReadonlyMap<number, readonly Address[]> | undefined,
): NamedAccounts | undefined {
  return addresses || lists ? { addresses: addresses ?? [], lists: lists ?? new Map() } : undefined
}

/**
 * Returns whether an account is named by its address, or by a list on the chain of the request. Lists of other chains do
 * not count: the address may have another owner there. A list without an answer has no members. Throws ChainError if no
 * node answers and no other list names the account.
 */
export async function isNamed(
  { addresses, lists }: NamedAccounts,
  account: Address,
  chainId: number,
  accessLists: AccessLists,
): Promise<boolean> {
  if (addresses.includes(account)) return true
  const asked = (lists.get(chainId) ?? []).map((list) => accessLists.has({ chainId, list }, account))
  const answers = await Promise.allSettled(asked)
  if (answers.some((one) => one.status === 'fulfilled' && one.value === true)) return true
  const failed = answers.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
  return false
}
