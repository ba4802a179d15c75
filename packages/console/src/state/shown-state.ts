import type { Asset } from '@tidegate/client'

/** Returns the state of an asset for people: on the chain, unless the operator of the provider blocks it. */
export function shownState({ state, blocked }: Pick<Asset, 'state' | 'blocked'>): Asset['state'] | 'blocked' {
  return blocked === undefined ? state : 'blocked'
}

/** Whether an asset can be ordered and downloaded. */
export function isOffered(asset: Pick<Asset, 'state' | 'blocked'>): boolean {
  return ['active', 'unlisted'].includes(shownState(asset))
}
