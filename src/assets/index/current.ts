import { LRUCache } from 'lru-cache'
import { type Address, formatLog, type Hex, type PublicClient, type RpcLog } from 'viem'
import { BOUNDS } from '../../bounds.js'
import { topicsOf } from '../../chain/abi.js'
import type { Chain, Chains } from '../../chain/chains.js'
import { refusal } from '../../chain/failures.js'
import { foreignView } from '../../chain/foreign.js'
import { ChainError } from '../../errors.js'
import type { IndexedAsset, IndexStore } from '../../state/store.js'
import type { DocumentReader } from '../documents.js'
import { documentOf, lastMetadata } from '../published.js'
import { metadataFrom } from './changes.js'
import { hex } from './headers.js'

/** The assets of the index, each as it is now. */
export type AssetIndex = Pick<IndexStore, 'asset'>

export interface CurrentOptions {
  index: Pick<IndexStore, 'asset' | 'cursor'>
  chains: Chains
  documents: DocumentReader
  /** Whether the index of a chain may be believed. */
  isCurrent: (chainId: number) => boolean
  /** Whether the chain has other blocks by now than those that the index has read. */
  isAstray: (chainId: number) => boolean
  /** Milliseconds that an answer of the chain is good for. */
  ttl: number
}

const MAX_KEPT = 10_000
const METADATA_TOPICS = topicsOf(['MetadataCreated', 'MetadataUpdated'])

/**
 * The index, where it may be believed. Where it is too far behind, or no head was seen for long, an asset's state, its
 * datatokens and its newest document are read from the chain: a revoked asset is not served for as long as it takes
 * the index to see that. Then `asset` throws ChainError where the chain cannot be asked.
 */
export function currentAssets(options: CurrentOptions): AssetIndex {
  const { index, chains, isCurrent, ttl } = options
  const kept = new LRUCache<string, Promise<IndexedAsset>>({ max: MAX_KEPT, ttl })

  async function look(chain: Chain, did: string, old: IndexedAsset): Promise<IndexedAsset> {
    // the cursor first: what the asset is read as is of this block, or of a later one
    const cursor = await index.cursor(chain.chainId)
    const asset = (await index.asset(did)) ?? old
    // what another history says of an asset may stand before the cursor, or the chain be shorter
    const published = asset.metadata.block - 1
    const read = options.isAstray(chain.chainId) ? published : (cursor?.block ?? published + 1)
    return fromChain(chain, read, asset, options.documents)
  }

  return {
    async asset(did) {
      const found = await index.asset(did)
      const chain = found && chains.get(found.chainId)
      if (!chain || isCurrent(chain.chainId)) return found
      let looking = kept.get(did)
      if (!looking) {
        looking = look(chain, did, found)
        kept.set(did, looking)
        looking.catch(() => kept.delete(did))
      }
      return looking
    },
  }
}

/** An asset with what its chain says after a block. */
async function fromChain(
  chain: Chain,
  read: number,
  asset: IndexedAsset,
  documents: DocumentReader,
): Promise<IndexedAsset> {
  const nft = asset.nft.address
  const now = await chain.nodes.ask(
    async (client, foreign) => {
      const [head, state, tokens] = await Promise.all([
        client.getBlockNumber(),
        foreignView(foreign, nft, 'metaDataState', []),
        foreignView(foreign, nft, 'getTokensList', []),
      ])
      const log = await newestMetadata(client, nft, read + 1, Number(head))
      return { head: Number(head), state, tokens, log }
    },
    {
      // a node that is behind the index itself has nothing to add
      accept: ({ head, state }) => head >= read && state !== undefined,
      essence: ({ state, tokens, log }) => [state, tokens, log?.transactionHash, log?.logIndex],
    },
  )
  if (now.head < read || now.state === undefined)
    throw new ChainError('CHAIN_UNAVAILABLE', 'The blockchain node did not answer.')
  const event = now.log && lastMetadata([formatLog(now.log)], nft)
  const published = event && metadataFrom(event, nft, chain, await documents.decode(documentOf(event), { nft, chain }))
  const known = new Map(asset.datatokens.map((datatoken) => [datatoken.address, datatoken]))
  const fresh = (address: Address) => ({ address, nft, name: '', symbol: '', orders: 0 })
  return {
    ...asset,
    datatokens: now.tokens?.map((address) => known.get(address) ?? fresh(address)) ?? asset.datatokens,
    metadata: { ...asset.metadata, ...published, state: now.state },
  }
}

/** The newest metadata event of an NFT in a range of blocks: asked for in halves where a node refuses so many. */
async function newestMetadata(client: PublicClient, nft: Address, first: number, last: number) {
  let left = BOUNDS.chain.newest
  async function newestIn(from: number, to: number): Promise<RpcLog | undefined> {
    if (from > to) return undefined
    if (left-- === 0) throw new Error('The node gives too few blocks at once.')
    const filter = { address: nft, fromBlock: hex(from), toBlock: hex(to), topics: [METADATA_TOPICS] as Hex[][] }
    try {
      return (await client.request({ method: 'eth_getLogs', params: [filter] })).at(-1)
    } catch (error) {
      if (from === to || !refusal(error)) throw error
      const middle = Math.floor((from + to) / 2)
      return (await newestIn(middle + 1, to)) ?? (await newestIn(from, middle))
    }
  }
  return newestIn(first, last)
}
