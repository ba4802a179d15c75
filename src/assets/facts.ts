import { LRUCache } from 'lru-cache'
import { type Address, formatUnits, type Hex, type PublicClient } from 'viem'
import { VIEWS } from '../chain/abi.js'
import type { Chain, Chains } from '../chain/chains.js'
import { answered } from '../chain/failures.js'
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

const MAX_FACTS = 10_000

/** Owner, token URI and price of assets, asked of the chain when they are wanted, and kept for a moment. */
export class FactsReader {
  private readonly kept: LRUCache<string, Promise<AssetFacts>>

  /** `ttl`: milliseconds that an answer is good for. */
  constructor(
    private readonly chains: Chains,
    ttl: number,
  ) {
    this.kept = new LRUCache({ max: MAX_FACTS, ttl })
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
      this.kept.set(key, facts)
      facts.catch(() => this.kept.delete(key))
    }
    return facts.catch(() => ({}))
  }
}

function readFacts({ nodes }: Chain, nft: Address, datatokens: Address[]): Promise<AssetFacts> {
  return nodes.ask(async (client) => {
    const [owner, tokenUri, ...prices] = await Promise.all([
      read<Address>(client, nft, 'ownerOf', [NFT_TOKEN_ID]),
      read<string>(client, nft, 'tokenURI', [NFT_TOKEN_ID]),
      ...datatokens.map((datatoken) => priceOf(client, datatoken)),
    ])
    const price = prices.find((found) => found)
    return {
      ...(owner ? { owner } : {}),
      ...(tokenUri === undefined ? {} : { tokenUri }),
      ...(price ? { price } : {}),
    }
  })
}

/** The price of one datatoken: of its first active fixed rate, else 0 when a dispenser gives it away. */
async function priceOf(client: PublicClient, datatoken: Address): Promise<Price | undefined> {
  const [rates, dispensers] = await Promise.all([
    read<{ contractAddress: Address; id: Hex }[]>(client, datatoken, 'getFixedRates', []),
    read<Address[]>(client, datatoken, 'getDispensers', []),
  ])
  for (const rate of rates ?? []) {
    const exchange = await read<readonly unknown[]>(client, rate.contractAddress, 'getExchange', [rate.id])
    if (!exchange?.[6]) continue
    const tokenAddress = exchange[3] as Address
    const tokenSymbol = await read<string>(client, tokenAddress, 'symbol', [])
    // the exchange keeps its rate in 18 decimals, whatever the base token has
    return { value: formatUnits(exchange[5] as bigint, 18), tokenAddress, tokenSymbol }
  }
  for (const dispenser of dispensers ?? []) {
    const status = await read<readonly unknown[]>(client, dispenser, 'status', [datatoken])
    if (status?.[0]) return { value: '0' }
  }
  return undefined
}

/** A view call; undefined where the contract has no such function or reverts, so that odd contracts block nothing. */
function read<T>(client: PublicClient, address: Address, functionName: string, args: unknown[]) {
  return answered(client.readContract({ address, abi: VIEWS, functionName, args } as never) as Promise<T>)
}
