import type { Address } from 'viem'
import { withoutAdded } from '../added-fields.js'
import { checksummed } from '../crypto/address.js'
import type { IndexedAsset } from './indexed.js'
import { isoTime } from './iso-time.js'
import type { OnChainData, Price } from './on-chain/on-chain-data.js'
import type { DeclaredService, OpenedAsset, SoldAsset } from './opened.js'
import type { ReadableAsset } from './readable.js'
import { isConsumable } from './states.js'

type Json = Record<string, unknown>

/**
 * Returns the document in the format of metadata caches: the DDO with on-chain data (`nft`, `datatokens`, `event`,
 * `stats`, `purgatory`; in version 5 inside `indexedMetadata`). Metadata and services are left out unless the asset is
 * active or unlisted. `purgatory`: reason of the purgatory entry.
 */
export function assetDocument(opened: OpenedAsset, onChain: OnChainData, purgatory?: string): Json {
  const { asset, ddo, subject } = opened
  const visible = isConsumable(asset.metadata.state)
  const redacted = (document: Json): Json => {
    const { metadata: _metadata, services: _services, ...rest } = document
    return visible ? document : rest
  }
  const { datatokens, nft, event, stats, listed, statsByService } = addedTo(opened, onChain, purgatory)
  const indexed = { nft, event, purgatory: listed, stats: statsByService }
  // clients send served documents back as updates: added fields in them are replaced
  const own = redacted(withoutAdded(ddo))
  if (subject !== ddo)
    return { ...own, credentialSubject: { ...redacted(withoutAdded(subject)), datatokens }, indexedMetadata: indexed }
  return { ...own, datatokens, nft, event, stats, purgatory: listed, indexedMetadata: indexed }
}

/**
 * Returns the same document as JSON text. Copies the stored text if possible, which is faster than serializing long
 * documents.
 */
export function assetDocumentText(one: ReadableAsset, onChain: OnChainData, purgatory?: string): string {
  const { beginning } = one
  if (beginning === undefined) return JSON.stringify(assetDocument(one.opened, onChain, purgatory))
  const added = addedTo(one, onChain, purgatory)
  const [nft, event, listed] = [added.nft, added.event, added.listed].map((part) => JSON.stringify(part))
  const [datatokens, stats] = [JSON.stringify(added.datatokens), JSON.stringify(added.stats)]
  const byService = JSON.stringify(added.statsByService)
  return `${beginning},"datatokens":${datatokens},"nft":${nft},"event":${event},"stats":${stats},"purgatory":${listed},"indexedMetadata":{"nft":${nft},"event":${event},"purgatory":${listed},"stats":${byService}}}`
}

/** Returns the fields that index and chain add to a document. */
function addedTo({ asset, services }: SoldAsset, onChain: OnChainData, purgatory: string | undefined) {
  const datatokens = datatokensOf(asset, services, onChain)
  const listed = { state: purgatory !== undefined, reason: purgatory ?? '' }
  // by service for modern clients; with sums at the top for older ones
  return { ...indexedMetadata(asset, onChain), datatokens, listed, statsByService: statsOf(asset, datatokens, onChain) }
}

/** Returns the `metadata` object of an asset; undefined if its state hides it, or if it is no object. */
export function publishedMetadata({ asset, subject }: OpenedAsset): Json | undefined {
  if (!isConsumable(asset.metadata.state)) return undefined
  const { metadata: published } = subject
  return typeof published === 'object' && published !== null ? (published as Json) : undefined
}

/** Returns an entry for each service, in order. */
function datatokensOf({ datatokens }: IndexedAsset, services: DeclaredService[], { names }: OnChainData): Json[] {
  const known = new Map(datatokens.map((datatoken) => [datatoken.address.toLowerCase(), datatoken]))
  return services.map(({ id, datatokenAddress }) => {
    const own = known.get(datatokenAddress.toLowerCase())
    const { name, symbol } = own ?? names?.get(checksummed(datatokenAddress as Address)) ?? { name: '', symbol: '' }
    return { address: own?.address ?? datatokenAddress, name, symbol, serviceId: id }
  })
}

/** Returns orders and offers by datatoken. */
function statsOf({ datatokens, offers }: IndexedAsset, entries: Json[], onChain: OnChainData): Json[] {
  const orders = new Map<unknown, number>(datatokens.map((datatoken) => [datatoken.address, datatoken.orders]))
  return entries.map(({ address, name, symbol, serviceId }) => ({
    datatokenAddress: address,
    name,
    symbol,
    serviceId,
    orders: orders.get(address) ?? 0,
    prices: (offers ?? onChain.offers)?.get(address as Address) ?? [],
  }))
}

function indexedMetadata(asset: IndexedAsset, onChain: OnChainData) {
  const { metadata, nft } = asset
  const price = onChain.price ?? firstPrice(asset)
  return {
    nft: {
      address: nft.address,
      name: nft.name,
      symbol: nft.symbol,
      state: metadata.state,
      tokenURI: onChain.tokenUri ?? nft.tokenUri,
      owner: onChain.owner ?? nft.owner,
      created: nft.created,
    },
    event: {
      txid: metadata.txId,
      tx: metadata.txId,
      block: metadata.block,
      from: metadata.from,
      contract: nft.address,
      datetime: isoTime(metadata.timestamp),
    },
    stats: {
      orders: ordersOf(asset),
      price: price ? { ...price, value: Number(price.value) } : {},
    },
  }
}

/** Returns the number of orders of all datatokens of an asset. */
export function ordersOf({ datatokens }: IndexedAsset): number {
  return datatokens.reduce((sum, { orders }) => sum + orders, 0)
}

/** Returns the price of the first offer in the index, without the symbol of its token. */
function firstPrice({ offers }: IndexedAsset): Price | undefined {
  const [first] = [...(offers?.values() ?? [])].flat()
  return first && { value: first.price, ...(first.token ? { tokenAddress: first.token } : {}) }
}
