import { type Address, decodeEventLog, encodeEventTopics, getAddress, isAddressEqual, pad } from 'viem'
import { EVENTS } from '../chain/abi.js'
import { type Contracts, contractsOf } from '../chain/contracts.js'
import { didOf } from '../chain/did.js'
import { servedDocument } from '../chain/document.js'
import { scanLogs } from '../chain/scan.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Asset } from '../types.js'
import { fieldsOf, listOf } from '../values.js'
import { describe } from './describe.js'
import { search } from './search.js'

/** Most pages of 50 assets that searches find. */
const PAGES = 10
/** Most assets that searches hide, the newest ones. */
const HIDDEN = 100
/** Documents that are requested concurrently. */
const AT_ONCE = 8

export interface PublishedAssets {
  /** The newest first, with the index's prices and without files. */
  assets: Asset[]
  /** Whether more assets may be for sale than are listed. */
  atLeast: boolean
  /** Whether assets out of sale may be missing: a chain cannot be read, or its node does not list all events. */
  incomplete: boolean
}

/**
 * Returns the assets that an account has published, in every state. Searches find those for sale; the chain's events name
 * the others, such as revoked and retired ones, whose name is that of the data NFT. Throws TidegateError like `search`.
 *
 * @example
 * const { assets } = await published(context, owner)
 * assets.filter(({ state }) => state === 'revoked').map(({ did, name }) => `${did} ${name}`)
 */
export async function published(
  context: Context,
  owner: Address,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<PublishedAssets> {
  const found: Asset[] = []
  let more = true
  for (let page = 1; more && page <= PAGES; page++) {
    const answer = await search(context, { owner, page, size: 50, sort: 'newest', signal })
    found.push(...answer.assets)
    more = answer.more
  }
  const known = new Set(found.map(({ did }) => did))
  const { chainIds } = fieldsOf(await context.api.get('/', {}, signal))
  const chains = listOf(chainIds, 100).filter((id): id is number => typeof id === 'number')
  const created = await Promise.all(chains.map((chainId) => createdBy(context, owner, chainId)))
  const others = created.flatMap(({ dids }) => dids).filter((did) => !known.has(did))
  const hidden: Asset[] = []
  for (let at = 0; at < Math.min(others.length, HIDDEN); at += AT_ONCE) {
    signal?.throwIfAborted()
    const dids = others.slice(at, Math.min(at + AT_ONCE, HIDDEN))
    hidden.push(...(await Promise.all(dids.map((did) => described(context, did)))).flat())
  }
  return {
    assets: [...found, ...hidden].sort((a, b) => (b.created?.getTime() ?? 0) - (a.created?.getTime() ?? 0)),
    atLeast: more,
    incomplete: others.length > HIDDEN || created.some(({ incomplete }) => incomplete),
  }
}

/** Returns an asset, or nothing if the provider's index does not have it. */
async function described(context: Context, did: string): Promise<Asset[]> {
  try {
    return [describe(await servedDocument(context, did))]
  } catch (error) {
    if (error instanceof TidegateError && error.status !== 404 && error.code !== 'WRONG_DOCUMENT') throw error
    return []
  }
}

/** Returns the DIDs of the data NFTs that were created for an account, the newest first. */
async function createdBy(context: Context, owner: Address, chainId: number) {
  try {
    const contracts = await contractsOf(context, chainId)
    const { found, incompleteBefore } = await nftsOf(context, contracts, { owner, chainId })
    return { dids: found.map(({ did }) => did), incomplete: incompleteBefore !== undefined }
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error
    return { dids: [], incomplete: true }
  }
}

async function nftsOf(
  context: Context,
  { factory }: Contracts,
  { owner, chainId }: { owner: Address; chainId: number },
) {
  const [topic] = encodeEventTopics({ abi: EVENTS, eventName: 'NFTCreated' })
  const client = await context.chain(chainId)
  return scanLogs(client, { topics: [topic, null, pad(owner)], address: factory }, ({ address, topics, data }) => {
    const { args } = decodeEventLog({ abi: EVENTS, eventName: 'NFTCreated', topics, data, strict: true })
    // a node may ignore the filter
    if (args.admin !== getAddress(owner) || !isAddressEqual(address, factory)) return undefined
    return { did: didOf(args.newTokenAddress, chainId), time: new Date(0) }
  })
}
