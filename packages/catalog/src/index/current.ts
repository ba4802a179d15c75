import { CHAIN_LIMITS, type Chain, type Chains, METADATA_TOPICS, refusal, untrustedView } from '@tidegate/chain'
import { abortable, withDeadline } from '@tidegate/common'
import { ChainError, type IndexedAsset, isDid, PROTOCOL_LIMITS, StaleIndexError } from '@tidegate/protocol'
import { type Address, formatLog, numberToHex, type PublicClient, type RpcLog } from 'viem'
import type { DocumentReader } from '../documents.js'
import { documentOf, lastMetadata } from '../published.js'
import { BASE_SIZE, SharedResults } from '../shared-results.js'
import { logsOf } from './blocks/headers.js'
import type { IndexStore } from './index-store.js'
import { metadataFrom } from './indexed.js'

/** Finds assets in their current state. */
export interface AssetIndex extends Pick<IndexStore, 'asset'> {
  /**
   * Throws StaleIndexError if an unindexed asset may exist, since the index of a chain is stale. With `anyCurrent`, one current chain
   * is enough, so that a failed chain does not stop publishers on another.
   */
  assertAbsent(did: string, options?: { anyCurrent?: boolean }): void
}

export interface CurrentOptions {
  index: Pick<IndexStore, 'asset' | 'cursor'>
  chains: Chains
  documents: DocumentReader
  /** Whether the index of a chain is fresh. */
  isCurrent: (chainId: number) => boolean
  /** Whether the index has diverged from a reorganised chain. */
  isAstray: (chainId: number) => boolean
  /** Time to live of assets read from the chain, in milliseconds. */
  ttl: number
  /** Milliseconds for reading one asset from the chain. */
  deadline: number
}

/**
 * Returns the index with a fallback: if the index of a chain is stale, reads state, datatokens and newest document of an asset from the
 * chain, so that a revoked asset is not served. Then `asset` throws ChainError if no node responds.
 */
export function currentAssets(options: CurrentOptions): AssetIndex {
  const { index, chains, isCurrent, ttl, deadline } = options
  const inFlight = Math.max(ttl, 2 * deadline)
  const known = new SharedResults<IndexedAsset>({
    maxSize: PROTOCOL_LIMITS.document.staleCache,
    size: sizeOf,
    ttl,
    inFlight,
  })

  async function lookUp(chain: Chain, did: string, stale: IndexedAsset): Promise<IndexedAsset> {
    // the cursor first, so that the asset is of this block or a later one
    const cursor = await index.cursor(chain.chainId)
    const asset = (await index.asset(did)) ?? stale
    // after a reorganisation the newest event may precede the cursor, or the chain may be shorter
    const published = asset.metadata.block - 1
    const read = options.isAstray(chain.chainId) ? published : (cursor?.block ?? published + 1)
    return fromChain(chain, read, asset, options)
  }

  return {
    assertAbsent(did, { anyCurrent = false } = {}) {
      const ids = [...chains.keys()]
      // a malformed DID cannot exist on any chain
      if (isDid(did) && !(anyCurrent ? ids.some(isCurrent) : ids.every(isCurrent)))
        throw new StaleIndexError([...chains.values()].every(({ nodes }) => nodes.reached))
    },
    async asset(did) {
      const found = await index.asset(did)
      const chain = found && chains.get(found.chainId)
      if (!chain || isCurrent(chain.chainId)) return found
      return known.get(did, () => lookUp(chain, did, found))
    },
  }
}

/** Upper bound of the memory of an asset, in bytes; a character may take two. */
function sizeOf({ metadata, nft, datatokens }: IndexedAsset): number {
  const named = [nft, ...datatokens].reduce((sum, { name, symbol }) => sum + name.length + symbol.length, 0)
  const text = (metadata.ddo?.length ?? 0) + (metadata.reason?.length ?? 0) + nft.tokenUri.length + named
  return BASE_SIZE * (1 + datatokens.length) + 2 * text
}

/** Returns an asset with its on-chain state and the metadata events after block `read`. */
async function fromChain(
  chain: Chain,
  read: number,
  asset: IndexedAsset,
  { documents, deadline }: Pick<CurrentOptions, 'documents' | 'deadline'>,
): Promise<IndexedAsset> {
  const nft = asset.nft.address
  const ask = (signal: AbortSignal) =>
    chain.nodes.ask(
      async (client, callUntrusted, _abilities, moment) => {
        const [head, state, tokens] = await Promise.all([
          moment.block(),
          untrustedView(callUntrusted, nft, 'metaDataState', []),
          untrustedView(callUntrusted, nft, 'getTokensList', []),
        ])
        const log = await newestMetadata(client, nft, read + 1, head, signal)
        return { state, tokens, log }
      },
      {
        // a node that lags behind the index is useless
        since: read,
        accept: ({ state }) => state !== undefined,
        agreeOn: ({ state, tokens, log }) => [state, tokens, log?.transactionHash, log?.logIndex],
      },
    )
  const reason = () => new ChainError('CHAIN_UNAVAILABLE', 'The blockchain node did not answer in time.')
  const now = await withDeadline({ milliseconds: deadline, reason }, (signal) => abortable(ask(signal), signal))
  if (now.state === undefined) throw new ChainError('CHAIN_UNAVAILABLE', 'The blockchain node did not answer.')
  const event = now.log && lastMetadata([formatLog(now.log)], nft)
  const published = event && metadataFrom(event, nft, chain, await documents.decode(documentOf(event), { nft, chain }))
  const known = new Map(asset.datatokens.map((datatoken) => [datatoken.address, datatoken]))
  const fresh = (address: Address) => ({ address, nft, name: '', symbol: '', orders: 0 })
  return {
    ...asset,
    datatokens: now.tokens?.map((address) => known.get(address) ?? fresh(address)) ?? asset.datatokens,
    metadata: { ...asset.metadata, ...published, state: now.state },
    // read from the chain, as in every asset without offers
    offers: undefined,
  }
}

/** Requests the newest metadata event of an NFT in a range of blocks. Halves a refused range. */
async function newestMetadata(client: PublicClient, nft: Address, first: number, last: number, signal: AbortSignal) {
  let left = CHAIN_LIMITS.chain.newest
  async function newestIn(from: number, to: number): Promise<RpcLog | undefined> {
    if (from > to) return undefined
    signal.throwIfAborted()
    if (left-- === 0) throw new Error('The node returns too few blocks at once.')
    const blocks = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
    try {
      return (await logsOf(client, { ...blocks, address: nft, topics: [METADATA_TOPICS] })).at(-1)
    } catch (error) {
      if (from === to || !refusal(error)) throw error
      const middle = Math.floor((from + to) / 2)
      return (await newestIn(middle + 1, to)) ?? (await newestIn(from, middle))
    }
  }
  return newestIn(first, last)
}
