import { assetOf } from '@tidegate/protocol/asset'
import { fieldsOf, listOf } from '@tidegate/protocol/values'
import type { Address } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Asset } from '../types.js'
import type { AssetOptions } from './asset.js'
import { search } from './search.js'

/** Most pages of 50 assets that searches find. */
const PAGES = 10
/** Most hidden assets: the provider's own limit. */
const HIDDEN = 200

export interface PublishedAssets {
  /** The newest first, with the index's prices and without files. */
  assets: Asset[]
  /** Whether there are more than these. */
  atLeast: boolean
  /** Whether hidden assets are missing, as the provider does not list them. */
  incomplete: boolean
}

/**
 * Returns the assets that an account has published, in every state. Searches find those for sale. Of the others, such as
 * revoked and retired ones, the provider tells state and name of the data NFT. Throws TidegateError like `search`.
 *
 * @example
 * const { assets } = await published(context, owner)
 * assets.filter(({ state }) => state === 'revoked').map(({ did, name }) => `${did} ${name}`)
 */
export async function published(
  context: Context,
  owner: Address,
  { signal }: AssetOptions = {},
): Promise<PublishedAssets> {
  const found: Asset[] = []
  let more = true
  for (let page = 1; more && page <= PAGES; page++) {
    const answer = await search(context, { owner, page, size: 50, sort: 'newest', signal })
    found.push(...answer.assets)
    more = answer.more
  }
  const hidden = await hiddenOf(context, owner, signal)
  // restored meanwhile
  const known = new Set(found.map(({ did }) => did))
  const others = hidden?.filter(({ did }) => !known.has(did)) ?? []
  return {
    assets: [...found, ...others].sort((a, b) => (b.created?.getTime() ?? 0) - (a.created?.getTime() ?? 0)),
    atLeast: more || others.length === HIDDEN,
    incomplete: hidden === undefined,
  }
}

/** Returns the hidden assets of an owner; undefined if the provider has no list of them. */
async function hiddenOf({ api }: Context, owner: Address, signal?: AbortSignal): Promise<Asset[] | undefined> {
  try {
    const documents = await api.get<unknown>('/api/aquarius/assets/hidden', { owner }, signal)
    return listOf(documents, HIDDEN).map(fieldsOf).flatMap(assetOf)
  } catch (error) {
    if (error instanceof TidegateError && (error.status === 404 || error.status === 405)) return undefined
    throw error
  }
}
