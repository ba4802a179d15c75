import { type Asset, asset, didOf, search } from '@tidegate/client'
import { NFT_CREATED } from '@tidegate/protocol/abi'
import { type Address, parseAbiItem } from 'viem'
import { plainLine } from '../format/hostile.js'
import { readerOf } from './chains.js'
import { config } from './config.js'
import { reading } from './context.js'
import { keep, kept } from './kept.js'

const CREATED = parseAbiItem(NFT_CREATED)

/** Assets of the index that are listed, and those that the index hides. */
const LISTED = 50
const MOST_PAGES = 10
const HIDDEN = 50

/** Names that are kept: the index tells none of what it hides, and who has published it wants to know it again. */
const NAMED = 200
const NAMES = 'published'

/** What an account has published. */
export interface Published {
  assets: Asset[]
  /** A chain did not tell which data NFTs are the account's: what the index hides may be missing. */
  incomplete: boolean
}

/**
 * What an account has published: what the index finds, and, if the chain can be read, what is revoked or retired, which
 * the index does not find.
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

/** Assets with the names that they had when they were last seen. */
function withNames(assets: readonly Asset[]): Asset[] {
  const names = kept(NAMES, (value) => new Map(value as [string, string][]), new Map<string, string>())
  for (const { did, name } of assets) if (name) names.set(did, plainLine(name))
  keep(NAMES, [...names].slice(-NAMED))
  return assets.map((asset) => ({ ...asset, name: asset.name || (names.get(asset.did) ?? '') }))
}

/** DIDs of the data NFTs that were made for an account, as the chain tells; undefined if it does not. */
async function createdBy(admin: Address, chainId: number): Promise<string[] | undefined> {
  try {
    const { contracts } = await reading().api.get<{ contracts?: Record<string, { ERC721Factory?: Address }> }>('/')
    const address = contracts?.[String(chainId)]?.ERC721Factory
    if (!address) return undefined
    const client = await readerOf(chainId)
    const logs = await client.getLogs({ address, event: CREATED, args: { admin }, fromBlock: 0n, strict: true })
    return logs.map(({ args }) => didOf(args.newTokenAddress, chainId))
  } catch {
    // many nodes give the logs of the newest blocks alone
    return undefined
  }
}
