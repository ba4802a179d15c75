import type { Asset, SearchResult } from '@tidegate/client'
import { priceText } from './amounts.js'
import { assetJson } from './assets.js'
import { shown } from './output/text.js'

/** Returns two lines for each found asset. */
export function foundLines({ assets, total, atLeast, page, more }: SearchResult, none: string): string[] {
  if (assets.length === 0) return [page > 1 ? 'this page is empty.' : none]
  const next = more ? `; next: --page ${page + 1}` : ''
  return [...assets.flatMap(lines), '', `${assets.length} of ${total}${atLeast ? ' or more' : ''}${next}`]
}

function lines({ did, name, type, author, state, services }: Asset): string[] {
  const prices = [...new Set(services.map(({ price }) => priceText(price)))].join(', ')
  const facts = [shown(type, 30), author && `by ${shown(author, 60)}`, prices, state === 'active' ? '' : state]
  return [did, `  ${shown(name, 100)} (${facts.filter(Boolean).join(', ')})`]
}

export const foundJson = ({ assets, total, atLeast, page, more }: SearchResult) => ({
  total,
  atLeast,
  page,
  more,
  assets: assets.map(assetJson),
})
