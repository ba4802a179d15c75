import {
  type Amount,
  type Asset,
  type AssetService,
  type Price,
  type SearchResult,
  sellerOf,
  type VerifiedPublishers,
} from '@tidegate/protocol/asset'
import type { Address, Hex } from 'viem'
import { PROVIDER_LIMITS } from '../limits.js'
import { plainLine, plainText } from './plain-text.js'
import type { Output } from './shapes.js'

const { listed, line, description: DESCRIPTION } = PROVIDER_LIMITS.mcp

/** Ids and types are strangers' texts too: only plain ones are shown outside of `untrusted`. */
const isPlain = (text: string) => /^[\w.:-]{1,128}$/.test(text)
const plainType = (type: string) => (isPlain(type) && type.length <= 40 ? type : 'other')
export const plainMedia = (type: string | undefined) => /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(type ?? '')?.[0]
const some = <T>(name: string, value: T | undefined) => (value === undefined ? {} : { [name]: value })

/** Returns an amount. Its symbol is the token's own claim. */
export const amountView = ({ token, amount, symbol }: Amount) => ({
  token,
  amount,
  untrusted: { symbol: plainLine(symbol, 20) },
})

export function priceView({ type, total, told }: Price): Output<'quote'>['price'] {
  const due = total.filter(({ units }) => units > 0n)
  return { type, feesIncluded: told !== true, total: due.slice(0, listed.amounts).map(amountView) }
}

/** Returns the facts of an asset, with its texts of bounded length. */
function factsOf(asset: Asset, names: VerifiedPublishers, most: number) {
  const { did, chainId, nft, owner, type, state, blocked, orders, created, ...texts } = asset
  return {
    facts: {
      ...{ did, chainId, nft, owner, seller: sellerView(asset, names), type: plainType(type), state, orders },
      ...(blocked === undefined ? {} : { blocked: true }),
      ...some('created', created?.toISOString()),
    },
    untrusted: {
      name: plainLine(texts.name, line),
      description: plainText(texts.description, most),
      author: plainLine(texts.author, line),
      tags: texts.tags.slice(0, listed.tags).map((tag) => plainLine(tag, 40)),
    },
  }
}

/** Returns who sells an asset. Verified names are the operator's, and never the seller's own. */
export function sellerView(asset: Asset, names: VerifiedPublishers): Output<'quote'>['seller'] {
  const { account, describedBy, verified, imitates } = sellerOf(asset, names)
  const name = (text: string | undefined) => text && plainLine(text, line)
  return {
    account,
    ...some('describedBy', describedBy),
    ...some('verified', name(verified)),
    ...some('imitates', name(imitates)),
  }
}

export function searchView(
  { total, atLeast, page, more, assets }: SearchResult,
  names: VerifiedPublishers,
): Output<'search'> {
  const shown = assets.map((asset) => {
    const { facts, untrusted } = factsOf(asset, names, DESCRIPTION.short)
    return { ...facts, prices: asset.services.slice(0, listed.amounts).map(({ price }) => priceView(price)), untrusted }
  })
  return { total, atLeast, page, more, assets: shown }
}

export function assetView(asset: Asset, names: VerifiedPublishers): Output<'asset'> {
  const { facts, untrusted } = factsOf(asset, names, DESCRIPTION.long)
  return {
    ...facts,
    ...some('updated', asset.updated?.toISOString()),
    serviceCount: asset.services.length,
    services: asset.services
      .filter(({ id }) => isPlain(id))
      .slice(0, listed.services)
      .map((one) => serviceView(asset, one)),
    sampleCount: asset.links.filter(({ isHere }) => isHere).length,
    hasTerms: asset.terms !== undefined,
    untrusted: { ...untrusted, license: plainLine(asset.license, line) },
  }
}

function serviceView(asset: Asset, { id, type, datatoken, timeout, price, buyers, files, name }: AssetService) {
  return {
    ...{ id, type: plainType(type), datatoken, timeout, price: priceView(price) },
    restricted: asset.buyers !== undefined || buyers !== undefined,
    fileCount: files.length,
    files: files.slice(0, listed.files).map(({ index, available, size, contentType, name: given }) => ({
      ...{ index, available, ...some('size', size), ...some('contentType', plainMedia(contentType)) },
      untrusted: some('name', given && plainLine(given, line)),
    })),
    untrusted: some('name', name && plainLine(name, line)),
  }
}

/** An order, as far as the index knows it. */
export interface KnownOrder {
  tx: Hex
  did: string
  chainId: number
  datatoken: Address
  /** Name of the asset. Untrusted. */
  name: string
  started: Date
  service?: string
  expires?: Date
}

export function ordersView(address: Address, orders: readonly KnownOrder[]): Output<'orders'> {
  const shown = orders
    .slice(0, listed.orders)
    .map(({ tx, did, chainId, datatoken, service, started, expires, name }) => ({
      ...{ order: tx, did, chainId, datatoken, started: started.toISOString() },
      ...some('service', service !== undefined && isPlain(service) ? service : undefined),
      ...some('expires', expires?.toISOString()),
      untrusted: { name: plainLine(name, line) },
    }))
  return { address, more: orders.length > shown.length, orders: shown }
}
