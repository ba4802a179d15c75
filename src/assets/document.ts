import type { IndexedAsset } from '../state/store.js'
import type { AssetFacts } from './facts.js'
import { isoTime } from './index/changes.js'

/**
 * The asset document as metadata caches serve it: the DDO with what the chain says about it (`nft`, `datatokens`,
 * `event`, `stats`, `purgatory`). Of an asset that is not active or unlisted only the frame is told, without metadata
 * and services. Undefined where this provider has no document.
 */
export function assetDocument(asset: IndexedAsset, facts: AssetFacts): Record<string, unknown> | undefined {
  const { metadata, nft, datatokens } = asset
  if (metadata.ddo === null) return undefined
  const ddo = JSON.parse(metadata.ddo) as Record<string, unknown>
  const services = (ddo.services ?? []) as { id: string; datatokenAddress: string }[]
  const visible = metadata.state === 0 || metadata.state === 5
  const { metadata: _metadata, services: _services, ...frame } = ddo
  return {
    ...(visible ? ddo : frame),
    nft: {
      address: nft.address,
      name: nft.name,
      symbol: nft.symbol,
      state: metadata.state,
      tokenURI: facts.tokenUri ?? nft.tokenUri,
      owner: facts.owner ?? nft.owner,
      created: nft.created,
    },
    datatokens: datatokens.map(({ address, name, symbol }) => ({
      address,
      name,
      symbol,
      serviceId: services.find((service) => service.datatokenAddress.toLowerCase() === address.toLowerCase())?.id ?? '',
    })),
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
    purgatory: { state: false, reason: '' },
  }
}
