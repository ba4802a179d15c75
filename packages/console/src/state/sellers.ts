import { type Asset, type Seller, sellerOf } from '@tidegate/client'
import { config } from './config.js'

/** Returns the seller of an asset, with the name that the operator has verified. */
export function sellerNow(asset: Pick<Asset, 'owner' | 'publisher' | 'author'>): Seller {
  return sellerOf(asset, config().verifiedPublishers)
}
