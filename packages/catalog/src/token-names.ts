import { type Chain, type Chains, untrustedView } from '@tidegate/chain'
import { COMMON_LIMITS } from '@tidegate/common'
import { type TokenName, upTo } from '@tidegate/protocol'
import { LRUCache } from 'lru-cache'
import type { Address } from 'viem'
import type { IndexStore } from './index/index-store.js'

const LIMITS = COMMON_LIMITS.contract

/**
 * Names and symbols of tokens that an asset's NFT did not deploy. Tokens of the factory are in the index. Others are third-party
 * contracts, which are queried once, since names do not change.
 */
export class TokenNames {
  private readonly cache: LRUCache<string, Promise<TokenName>>

  /** `retry`: milliseconds before a token without names is queried again. */
  constructor(
    private readonly chains: Chains,
    private readonly index: Pick<IndexStore, 'datatoken'>,
    private readonly retry: number,
  ) {
    this.cache = new LRUCache(upTo(LIMITS.tokenNames))
  }

  /**
   * Returns names of tokens, empty if a contract has none. Queries only a few new tokens per call and omits the others. Rejects with
   * StateError.
   */
  async of(chainId: number, tokens: Iterable<Address>): Promise<Map<Address, TokenName>> {
    const names = new Map<Address, TokenName>()
    const chain = this.chains.get(chainId)
    if (!chain) return names
    let left: number = LIMITS.offers
    const asked = [...new Set(tokens)].map(async (token) => {
      const known = this.cache.get(`${chainId} ${token}`)
      if (!known && left-- <= 0) return
      names.set(token, await (known ?? this.lookUp(chain, token)))
    })
    await Promise.all(asked)
    return names
  }

  private lookUp(chain: Chain, token: Address): Promise<TokenName> {
    const key = `${chain.chainId} ${token}`
    const pending = this.read(chain, token)
    this.cache.set(key, pending)
    const isCurrent = () => this.cache.peek(key) === pending
    pending.then(
      ({ name, symbol }) => {
        if (name === '' && symbol === '' && isCurrent()) this.cache.set(key, pending, { ttl: this.retry })
      },
      () => isCurrent() && this.cache.delete(key),
    )
    return pending
  }

  private async read(chain: Chain, token: Address): Promise<TokenName> {
    const indexed = await this.index.datatoken(chain.chainId, token)
    if (indexed) return { name: indexed.name, symbol: indexed.symbol }
    const asked = chain.nodes.ask((_client, callUntrusted) =>
      Promise.all([
        untrustedView(callUntrusted, token, 'name', [], LIMITS.symbol),
        untrustedView(callUntrusted, token, 'symbol', [], LIMITS.symbol),
      ]),
    )
    // a failed node must not fail the document
    const [name, symbol] = await asked.catch(() => [])
    return { name: clean(name), symbol: clean(symbol) }
  }
}

/** Removes control characters and lone surrogates from an untrusted text, and truncates it. */
function clean(text = ''): string {
  return [...text.replace(/[\p{Cc}\p{Cs}]/gu, '')].slice(0, LIMITS.tokenName).join('')
}
