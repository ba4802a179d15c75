import type { IndexedAsset } from '../state/store.js'
import type { AssetFacts } from './facts.js'
import { isoTime } from './index/changes.js'

type Json = Record<string, unknown>

/**
 * The asset document as metadata caches serve it: the DDO with what the chain says about it (`nft`, `datatokens`,
 * `event`, `stats`, `purgatory`; in version 5 inside `indexedMetadata`). Of an asset that is not active or unlisted
 * only the frame is told, without metadata and services. `purgatory` is why it is not served. Undefined where this provider has no document.
 */
export function assetDocument(asset: IndexedAsset, facts: AssetFacts, purgatory?: string): Json | undefined {
  const { metadata } = asset
  if (metadata.ddo === null) return undefined
  const ddo = JSON.parse(metadata.ddo) as Json
  const visible = metadata.state === 0 || metadata.state === 5
  const subject = ddo.credentialSubject as Json | undefined
  const shown = (document: Json): Json => {
    const { metadata: _metadata, services: _services, ...frame } = document
    return visible ? document : frame
  }
  const datatokens = datatokensOf(asset, (subject ?? ddo).services)
  const indexed = {
    ...indexedMetadata(asset, facts),
    purgatory: { state: purgatory !== undefined, reason: purgatory ?? '' },
  }
  if (subject) return { ...ddo, credentialSubject: { ...shown(subject), datatokens }, indexedMetadata: indexed }
  return { ...shown(ddo), datatokens, ...indexed }
}

function datatokensOf({ datatokens }: IndexedAsset, listed: unknown): Json[] {
  const services = (listed ?? []) as { id: string; datatokenAddress: string }[]
  return datatokens.map(({ address, name, symbol }) => ({
    address,
    name,
    symbol,
    serviceId: services.find((service) => service.datatokenAddress.toLowerCase() === address.toLowerCase())?.id ?? '',
  }))
}

function indexedMetadata({ metadata, nft, datatokens }: IndexedAsset, facts: AssetFacts): Json {
  return {
    nft: {
      address: nft.address,
      name: nft.name,
      symbol: nft.symbol,
      state: metadata.state,
      tokenURI: facts.tokenUri ?? nft.tokenUri,
      owner: facts.owner ?? nft.owner,
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
      price: facts.price ? { ...facts.price, value: Number(facts.price.value) } : {},
    },
  }
}
