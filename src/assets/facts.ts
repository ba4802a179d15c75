import { LRUCache } from 'lru-cache'
import { type Address, formatUnits } from 'viem'
import { BOUNDS } from '../bounds.js'
import type { Chain, Chains } from '../chain/chains.js'
import { type CallForeign, foreignView } from '../chain/foreign.js'
import type { IndexedAsset } from '../state/store.js'

export interface Price {
  /** Decimal amount of the price token for one datatoken; "0" for a dispenser. */
  value: string
  tokenAddress?: Address
  tokenSymbol?: string
}

/** What only calls can tell of an asset: what a contract does not answer is left out. */
export interface AssetFacts {
  owner?: Address
  tokenUri?: string
  price?: Price
}

/** The token id that every data NFT contract mints its one token under. */
const NFT_TOKEN_ID = 1n

/** Bytes of facts without their texts, generously. */
const PLAIN = 1024

/** Owner, token URI and price of assets, asked of the chain when they are wanted, and kept for a moment. */
export class FactsReader {
  private readonly kept: LRUCache<string, Promise<AssetFacts>>

  /** `ttl`: milliseconds that an answer is good for. */
  constructor(
    private readonly chains: Chains,
    ttl: number,
  ) {
    this.kept = new LRUCache({ maxSize: BOUNDS.contract.facts, ttl })
  }

  /** Never rejects: where the chain does not answer, what the index knows has to do. */
  async of({ chainId, metadata, datatokens }: IndexedAsset): Promise<AssetFacts> {
    const chain = this.chains.get(chainId)
    if (!chain) return {}
    const key = metadata.did
    let facts = this.kept.get(key)
    if (!facts) {
      facts = readFacts(
        chain,
        metadata.nft,
        datatokens.map(({ address }) => address),
      )
      const reading = facts
      this.kept.set(key, reading, { size: PLAIN })
      reading.then(
        (read) => this.kept.peek(key) === reading && this.kept.set(key, reading, { size: sizeOf(read) }),
        () => this.kept.delete(key),
      )
    }
    return facts.catch(() => ({}))
  }
}

/** Bytes that facts take up in memory, where a character may take two. */
function sizeOf({ tokenUri = '', price }: AssetFacts): number {
  return PLAIN + 2 * (tokenUri.length + (price?.tokenSymbol?.length ?? 0))
}

function readFacts({ nodes }: Chain, nft: Address, datatokens: Address[]): Promise<AssetFacts> {
  return nodes.ask(async (_client, foreign) => {
    const [owner, tokenUri, ...prices] = await Promise.all([
      foreignView(foreign, nft, 'ownerOf', [NFT_TOKEN_ID]),
      foreignView(foreign, nft, 'tokenURI', [NFT_TOKEN_ID], BOUNDS.contract.answer),
      ...datatokens.slice(0, BOUNDS.contract.offers).map((datatoken) => priceOf(foreign, datatoken)),
    ])
    const price = prices.find((found) => found)
    return {
      ...(owner ? { owner } : {}),
      ...(tokenUri === undefined ? {} : { tokenUri }),
      ...(price ? { price } : {}),
    }
  })
}

/**
 * The price of one datatoken: of its first active fixed rate, else 0 when a dispenser gives it away. What a contract
 * does not answer is left out, so that odd contracts block nothing.
 */
async function priceOf(foreign: CallForeign, datatoken: Address): Promise<Price | undefined> {
  const [rates = [], dispensers = []] = await Promise.all([
    foreignView(foreign, datatoken, 'getFixedRates', []),
    foreignView(foreign, datatoken, 'getDispensers', []),
  ])
  for (const { contractAddress, id } of rates.slice(0, BOUNDS.contract.offers)) {
    const exchange = await foreignView(foreign, contractAddress, 'getExchange', [id])
    const [, , , tokenAddress, , rate, active] = exchange ?? []
    if (!active || tokenAddress === undefined || rate === undefined) continue
    const tokenSymbol = await foreignView(foreign, tokenAddress, 'symbol', [], BOUNDS.contract.symbol)
    // the exchange keeps its rate in 18 decimals, whatever the base token has
    return { value: formatUnits(rate, 18), tokenAddress, tokenSymbol }
  }
  for (const dispenser of dispensers.slice(0, BOUNDS.contract.offers)) {
    const status = await foreignView(foreign, dispenser, 'status', [datatoken])
    if (status?.[0]) return { value: '0' }
  }
  return undefined
}
