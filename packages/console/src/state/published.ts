import { type Asset, asset, didOf, search } from '@tidegate/client'
import { NFT_CREATED } from '@tidegate/protocol/abi'
import { type Address, parseAbiItem } from 'viem'
import { plainLine } from '../format/hostile.js'
import { readerOf } from './chains.js'
import { config } from './config.js'
import { reading } from './context.js'
import { keep, kept } from './kept.js'

const CREATED = parseAbiItem(NFT_CREATED)

/** Most listed assets, and most assets that the index hides. */
const LISTED = 50
const MOST_PAGES = 10
const HIDDEN = 50

/** Most stored names: the index has no names of hidden assets, and their publisher needs them. */
const NAMED = 200
const NAMES = 'published'

/** The published assets of an account. */
export interface Published {
  assets: Asset[]
  /** Whether a chain did not list the account's data NFTs: hidden assets may be missing. */
  incomplete: boolean
}

/**
 * Returns the published assets of an account: those in the index and, if the chain can be read, the revoked and retired
 * ones, which the index hides.
 */
export async function publishedBy(owner: Address, signal: AbortSignal): Promise<Published> {
  const found: Asset[] = []
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { assets, more } = await search(reading(), { owner, page, size: LISTED, sort: 'newest', signal })
    found.push(...assets)
    if (!more) break
  }
  const known = new Set(found.map(({ did }) => did))
  const created = await Promise.all(config().chains.map(({ chainId }) => createdBy(owner, chainId)))
  const others = created
    .flatMap((dids) => dids ?? [])
    .filter((did) => !known.has(did))
    .slice(-HIDDEN)
  const told = await Promise.all(others.map((did) => asset(reading(), did, { signal }).catch(() => undefined)))
  const hidden = told.filter((one) => one !== undefined)
  return { assets: withNames([...found, ...hidden]), incomplete: created.includes(undefined) }
}

/** Adds the last known names. */
function withNames(assets: readonly Asset[]): Asset[] {
  const names = kept(NAMES, (value) => new Map(value as [string, string][]), new Map<string, string>())
  for (const { did, name } of assets) if (name) names.set(did, plainLine(name))
  keep(NAMES, [...names].slice(-NAMED))
  return assets.map((asset) => ({ ...asset, name: asset.name || (names.get(asset.did) ?? '') }))
}

/** Returns the DIDs of an account's data NFTs from the chain; undefined if the node does not list them. */
async function createdBy(admin: Address, chainId: number): Promise<string[] | undefined> {
  try {
    const { contracts } = await reading().api.get<{ contracts?: Record<string, { ERC721Factory?: Address }> }>('/')
    const address = contracts?.[String(chainId)]?.ERC721Factory
    if (!address) return undefined
    const client = await readerOf(chainId)
    const logs = await client.getLogs({ address, event: CREATED, args: { admin }, fromBlock: 0n, strict: true })
    return logs.map(({ args }) => didOf(args.newTokenAddress, chainId))
  } catch {
    // many nodes return only the logs of the newest blocks
    return undefined
  }
}
