import type { Address } from 'viem'
import { withoutAdded } from '../added-fields.js'
import { checksummed } from '../crypto/address.js'
import type { IndexedAsset } from './indexed.js'
import { isoTime } from './iso-time.js'
import type { OnChainData } from './on-chain-data.js'
import type { DeclaredService, OpenedAsset, SoldAsset } from './opened.js'
import type { ReadableAsset } from './readable.js'
import { isConsumable } from './states.js'

type Json = Record<string, unknown>

/**
 * Returns the asset document as metadata caches serve it: the DDO with on-chain data (`nft`, `datatokens`, `event`,
 * `stats`, `purgatory`; in version 5 inside `indexedMetadata`). Metadata and services are omitted unless the asset is
 * active or unlisted. `purgatory` is the reason of its purgatory entry.
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
  // clients send a served document back as an update: what the index adds is never taken from the document
  const own = redacted(withoutAdded(ddo))
  if (subject !== ddo)
    return { ...own, credentialSubject: { ...redacted(withoutAdded(subject)), datatokens }, indexedMetadata: indexed }
  return { ...own, datatokens, nft, event, stats, purgatory: listed, indexedMetadata: indexed }
}

/**
 * The same as JSON. The stored text is copied where it is what would be written, so that a document is read once and its long
 * parts are not written anew for each answer.
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

/** Returns the fields that the index and the chain add to a document. */
function addedTo({ asset, services }: SoldAsset, onChain: OnChainData, purgatory: string | undefined) {
  const datatokens = datatokensOf(asset, services, onChain)
  const listed = { state: purgatory !== undefined, reason: purgatory ?? '' }
  // by service, as modern clients read it; older ones read the sums at the top
  return { ...indexedMetadata(asset, onChain), datatokens, listed, statsByService: statsOf(asset, datatokens, onChain) }
}

/** Returns the `metadata` object of an asset; undefined if its state hides it, or it is none. */
export function publishedMetadata({ asset, subject }: OpenedAsset): Json | undefined {
  if (!isConsumable(asset.metadata.state)) return undefined
  const { metadata: published } = subject
  return typeof published === 'object' && published !== null ? (published as Json) : undefined
}

/** One entry for each service, in the order of the services. */
function datatokensOf({ datatokens }: IndexedAsset, services: DeclaredService[], { names }: OnChainData): Json[] {
  const known = new Map(datatokens.map((datatoken) => [datatoken.address.toLowerCase(), datatoken]))
  return services.map(({ id, datatokenAddress }) => {
    const own = known.get(datatokenAddress.toLowerCase())
    const { name, symbol } = own ?? names?.get(checksummed(datatokenAddress as Address)) ?? { name: '', symbol: '' }
    return { address: own?.address ?? datatokenAddress, name, symbol, serviceId: id }
  })
}

/** Orders and offers by datatoken. */
function statsOf({ datatokens }: IndexedAsset, entries: Json[], { offers }: OnChainData): Json[] {
  const orders = new Map<unknown, number>(datatokens.map((datatoken) => [datatoken.address, datatoken.orders]))
  return entries.map(({ address, name, symbol, serviceId }) => ({
    datatokenAddress: address,
    name,
    symbol,
    serviceId,
    orders: orders.get(address) ?? 0,
    prices: offers?.get(address as Address) ?? [],
  }))
}

function indexedMetadata({ metadata, nft, datatokens }: IndexedAsset, onChain: OnChainData) {
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
      orders: datatokens.reduce((sum, datatoken) => sum + datatoken.orders, 0),
      price: onChain.price ? { ...onChain.price, value: Number(onChain.price.value) } : {},
    },
  }
}
