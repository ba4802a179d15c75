import { type Chains, untrustedView } from '@tidegate/chain'
import { COMMON_LIMITS } from '@tidegate/common'
import { upTo } from '@tidegate/protocol'
import { LRUCache } from 'lru-cache'
import type { Address } from 'viem'

/** An access list: a contract on a chain. Holders of its tokens are members. */
export interface AccessListAddress {
  chainId: number
  list: Address
}

/** Membership of access lists. Answers are cached for a short time, and concurrent queries for one member are shared. */
export class AccessLists {
  private readonly kept: LRUCache<string, Promise<boolean | undefined>>

  /** `ttl`: time to live of a cached answer, in milliseconds. */
  constructor(
    private readonly chains: Chains,
    ttl: number,
  ) {
    this.kept = new LRUCache({ ...upTo(COMMON_LIMITS.contract.memberships), ttl })
  }

  /**
   * Returns whether an account is a member. Undefined if the contract does not exist, fails or returns another type, or
   * if its chain is not served. Throws ChainError if no node answers.
   */
  async has({ chainId, list }: AccessListAddress, member: Address): Promise<boolean | undefined> {
    const chain = this.chains.get(chainId)
    if (!chain) return undefined
    const key = `${chainId} ${list} ${member}`
    const kept = this.kept.get(key)
    if (kept) return kept
    const asked = chain.nodes
      .ask((_client, foreign) => untrustedView(foreign, list, 'balanceOf', [member], COMMON_LIMITS.contract.balance), {
        // a lagging node may not know the contract yet
        accept: (balance) => balance !== undefined,
        agreeOn: (balance) => balance !== undefined && balance > 0n,
      })
      .then((balance) => (balance === undefined ? undefined : balance > 0n))
    this.kept.set(key, asked)
    // node failures are not cached; all waiting callers get the rejection
    asked.catch(() => this.kept.peek(key) === asked && this.kept.delete(key))
    return asked
  }
}
