import { type Asset, sellerOf, type Tidegate, type VerifiedPublishers } from '@tidegate/client'
import { shown } from './output/text.js'

/** Returns a found asset or assets together with the names that the operator of the provider has verified. */
export async function withVerified<T>(
  client: Tidegate,
  signal: AbortSignal,
  found: Promise<T>,
): Promise<[T, VerifiedPublishers]> {
  return Promise.all([found, client.verifiedPublishers({ signal })])
}

/**
 * Says in one line who sells an asset. The account or the verified name comes first, and a stranger's text last and quoted: no
 * author can look like a verified publisher.
 */
export function sellerText(asset: Asset, names: VerifiedPublishers): string {
  const { account, describedBy, verified, imitates } = sellerOf(asset, names)
  const other = describedBy ? `, described by ${describedBy}` : ''
  if (verified !== undefined) return `${shown(verified)}, verified by the provider: ${account}${other}`
  const warning = imitates === undefined ? '' : `, NOT from the verified publisher ${shown(imitates)}`
  const author = shown(asset.author, 60)
  return `${account}${warning}${other}${author && `, calls itself "${author}"`}`
}
