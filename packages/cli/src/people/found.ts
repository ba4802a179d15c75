import type { Asset, SearchResult, VerifiedPublishers } from '@tidegate/client'
import { priceText } from './amounts.js'
import { assetJson } from './assets.js'
import { shown } from './output/text.js'
import { sellerText } from './sellers.js'

/** Returns three lines for each found asset. */
export function foundLines(
  { assets, total, atLeast, page, more }: SearchResult,
  names: VerifiedPublishers,
  none: string,
): string[] {
  if (assets.length === 0) return [page > 1 ? 'this page is empty.' : none]
  const next = more ? `; next: --page ${page + 1}` : ''
  return [
    ...assets.flatMap((asset) => lines(asset, names)),
    '',
    `${assets.length} of ${total}${atLeast ? ' or more' : ''}${next}`,
  ]
}

/** The seller is indented more than any name of an asset can be. */
function lines(asset: Asset, names: VerifiedPublishers): string[] {
  const { did, name, type, state, services } = asset
  const prices = [...new Set(services.map(({ price }) => priceText(price)))].join(', ')
  const facts = [shown(type, 30), prices, state === 'active' ? '' : state]
  return [did, `  ${shown(name, 100)} (${facts.filter(Boolean).join(', ')})`, `    sold by ${sellerText(asset, names)}`]
}

export const foundJson = ({ assets, total, atLeast, page, more }: SearchResult, names: VerifiedPublishers) => ({
  total,
  atLeast,
  page,
  more,
  assets: assets.map((asset) => assetJson(asset, names)),
})
