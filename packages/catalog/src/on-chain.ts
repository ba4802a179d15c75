import { type CallUntrusted, type Chain, type Chains, untrustedView } from '@tidegate/chain'
import { COMMON_LIMITS } from '@tidegate/common'
import {
  type IndexedAsset,
  type Offer,
  type OnChainData,
  type Price,
  type SoldAsset,
  soldDatatokens,
} from '@tidegate/protocol'
import { type Address, formatUnits } from 'viem'
import { BASE_SIZE, SharedResults } from './shared-results.js'
import type { TokenNames } from './token-names.js'

/** The id of the only token of every data NFT contract. */
const NFT_TOKEN_ID = 1n

/** Reads owner, token URI, token symbol, and offers that the index lacks, from the chain and caches them briefly. */
export class OnChainReader {
  private readonly known: SharedResults<OnChainData>

  /** `ttl`: milliseconds for cached data. */
  constructor(
    private readonly chains: Chains,
    ttl: number,
    private readonly names?: TokenNames,
  ) {
    this.known = new SharedResults({ maxSize: COMMON_LIMITS.contract.cacheSize, size: sizeOf, ttl })
  }

  /** Returns the data of an asset, empty if no node responds. Never rejects. */
  async of(sold: SoldAsset): Promise<OnChainData> {
    const [data, names] = await Promise.all([this.dataOf(sold.asset), this.namesFor(sold)])
    return names ? { ...data, names } : data
  }

  /** Returns the names of datatokens that the indexed asset lacks; undefined if there are none. */
  private async namesFor(sold: SoldAsset): Promise<OnChainData['names']> {
    const { asset } = sold
    const own = new Set(asset.datatokens.map(({ address }) => address))
    const others = soldDatatokens(sold).filter((address) => !own.has(address))
    return others.length > 0 ? this.names?.of(asset.chainId, others).catch(() => undefined) : undefined
  }

  private async dataOf(asset: IndexedAsset): Promise<OnChainData> {
    const { chainId, metadata } = asset
    const chain = this.chains.get(chainId)
    if (!chain) return {}
    const first = asset.offers && [...asset.offers.values()].flat()[0]
    // a publisher may change the price with each block, and the rest is not read again for that
    const key = `${metadata.did} ${asset.offers !== undefined} ${first && (first.token ?? 'free')}`
    const data = await this.known.get(key, () => readOnChain(chain, asset)).catch((): OnChainData => ({}))
    return first && data.price ? { ...data, price: { ...data.price, value: first.price } } : data
  }
}

/** Upper bound of the memory of an entry in bytes, at two per character. */
function sizeOf({ tokenUri = '', price, offers }: OnChainData): number {
  const count = [...(offers?.values() ?? [])].reduce((sum, list) => sum + list.length, 0)
  return BASE_SIZE * (1 + count) + 2 * (tokenUri.length + (price?.tokenSymbol?.length ?? 0))
}

function readOnChain(
  { nodes }: Chain,
  { nft: { address: nft }, datatokens, offers, metadata }: IndexedAsset,
): Promise<OnChainData> {
  const read = async (_client: unknown, callUntrusted: CallUntrusted) => {
    const unknown = offers ? [] : datatokens.slice(0, COMMON_LIMITS.contract.offers).map(({ address }) => address)
    const [owner, tokenUri, ...found] = await Promise.all([
      untrustedView(callUntrusted, nft, 'ownerOf', [NFT_TOKEN_ID]),
      untrustedView(callUntrusted, nft, 'tokenURI', [NFT_TOKEN_ID], COMMON_LIMITS.contract.result),
      ...unknown.map((datatoken) => offersOf(callUntrusted, datatoken)),
    ])
    const [first] = offers ? [...offers.values()].flat() : found.flat()
    const price = first && (await priceOf(callUntrusted, first))
    return {
      ...(owner ? { owner } : {}),
      ...(tokenUri === undefined ? {} : { tokenUri }),
      ...(price ? { price } : {}),
      ...(offers ? {} : { offers: new Map(unknown.map((datatoken, at) => [datatoken, found[at] ?? []])) }),
    }
  }
  return nodes.ask(read, { since: metadata.block })
}

/** Returns the active offers of a datatoken: fixed rates, then dispensers. Skips contracts whose calls fail. */
async function offersOf(callUntrusted: CallUntrusted, datatoken: Address): Promise<Offer[]> {
  const [rates = [], dispensers = []] = await Promise.all([
    untrustedView(callUntrusted, datatoken, 'getFixedRates', []),
    untrustedView(callUntrusted, datatoken, 'getDispensers', []),
  ])
  const offers: Offer[] = []
  for (const { contractAddress: contract, id: exchangeId } of rates.slice(0, COMMON_LIMITS.contract.offers)) {
    const exchange = await untrustedView(callUntrusted, contract, 'getExchange', [exchangeId])
    const [, , , token, , rate, active] = exchange ?? []
    if (!active || token === undefined || rate === undefined) continue
    // the rate has 18 decimals for every base token
    offers.push({ type: 'fixedrate', price: formatUnits(rate, 18), contract, token, exchangeId })
  }
  for (const contract of dispensers.slice(0, COMMON_LIMITS.contract.offers)) {
    const status = await untrustedView(callUntrusted, contract, 'status', [datatoken])
    if (status?.[0]) offers.push({ type: 'dispenser', price: '0', contract })
  }
  return offers
}

/** Returns the price of an asset: that of its first offer. */
async function priceOf(callUntrusted: CallUntrusted, { price, token }: Offer): Promise<Price> {
  if (token === undefined) return { value: price }
  const tokenSymbol = await untrustedView(callUntrusted, token, 'symbol', [], COMMON_LIMITS.contract.symbol)
  return { value: price, tokenAddress: token, tokenSymbol }
}
