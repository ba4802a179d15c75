import { LRUCache } from 'lru-cache'
import type { Address, Log } from 'viem'
import { BOUNDS } from '../bounds.js'
import { topicsOf, VIEWS } from '../chain/abi.js'
import type { Chain, Chains } from '../chain/chains.js'
import { foreignView } from '../chain/foreign.js'
import { parseJson } from '../json.js'
import type { Logger } from '../logger.js'
import type { Outbound } from '../outbound/outbound.js'
import type { Hint } from './cached-copy.js'
import { didsOf, readDdo } from './ddo.js'
import type { DocumentReader } from './documents.js'
import { documentOf, lastMetadata } from './published.js'
import type { AssetSource, SourcedAsset } from './resolver.js'

const DID = /^did:ope?:[0-9a-f]{64}$/
const MAX_KEPT = 10_000
const METADATA_TOPICS = topicsOf(['MetadataCreated', 'MetadataUpdated'])

export interface RemoteCacheOptions {
  /** Base URL without a trailing slash. */
  url: string
  chains: Chains
  outbound: Outbound
  documents: DocumentReader
  /** Milliseconds that an answer is good for. */
  ttl: number
  log: Logger
}

/**
 * A metadata cache as a source of assets. It is asked where to look, and nothing else: NFT, state, datatokens and the
 * document itself are what the chain says of them. Where this provider cannot decrypt the document that was published,
 * the cache's copy is taken only if it has the very hash that was published with it.
 */
export function remoteCacheSource(options: RemoteCacheOptions): AssetSource {
  const kept = new LRUCache<string, Promise<SourcedAsset | false>>({ max: MAX_KEPT, ttl: options.ttl })

  async function look(did: string): Promise<SourcedAsset | false> {
    const copy = await fetched(options, did)
    const hint = copy && (await options.documents.hint(copy))
    const chain = hint && options.chains.get(hint.chainId)
    if (!chain || !didsOf(hint.nft, hint.chainId).includes(did)) return false
    const published = await onChain(chain, hint)
    if (!published) return false
    const text = await textOf(published.log, copy, { nft: hint.nft, chain }, options.documents)
    const read = text === undefined ? undefined : readDdo(parseJson(text, BOUNDS.document))
    if (!read || !('ddo' in read) || read.ddo.id !== did) return false
    const { state, datatokens } = published
    return { chainId: hint.chainId, nft: hint.nft, state, ddo: read.ddo, datatokens }
  }

  return {
    name: 'metadata cache',
    async find(did) {
      if (!DID.test(did)) return undefined
      let looking = kept.get(did)
      if (!looking) {
        looking = look(did)
        kept.set(did, looking)
        looking.catch(() => kept.delete(did))
      }
      return (await looking) || undefined
    },
  }
}

async function fetched({ url, outbound, log }: RemoteCacheOptions, did: string): Promise<string | undefined> {
  try {
    const { status, text } = await outbound.text(`${url}/api/aquarius/assets/ddo/${did}`)
    return status === 200 ? text : undefined
  } catch {
    log.warn({ host: new URL(url).host }, 'metadata cache did not answer')
    return undefined
  }
}

/** What the chain says of the NFT, and its newest metadata event; undefined where the factory did not deploy it. */
async function onChain({ nodes, deployment }: Chain, { nft, txId }: Hint) {
  return nodes.ask(
    async (client, foreign) => {
      const [listed, state, datatokens, receipt] = await Promise.all([
        client.readContract({ address: deployment.factory, abi: VIEWS, functionName: 'erc721List', args: [nft] }),
        foreignView(foreign, nft, 'metaDataState', []),
        foreignView(foreign, nft, 'getTokensList', []),
        client.request({ method: 'eth_getTransactionReceipt', params: [txId] }),
      ])
      if (listed !== nft || state === undefined || !datatokens || !receipt) return undefined
      // an old event is no lie about the past, but one about the present: what came after it counts
      const filter = {
        address: nft,
        fromBlock: receipt.blockNumber,
        toBlock: 'latest',
        topics: [METADATA_TOPICS],
      } as const
      const logs = await client.request({ method: 'eth_getLogs', params: [filter as never] })
      const log = logs.at(-1)
      return log && { state, datatokens: [...datatokens], log: log as unknown as Log }
    },
    { accept: (found) => found !== undefined },
  )
}

/** The text of the document that an event published, or the cache's copy where that is the same. */
async function textOf(
  log: Log,
  copy: string,
  publisher: { nft: Address; chain: Chain },
  documents: DocumentReader,
): Promise<string | undefined> {
  const event = lastMetadata([log], publisher.nft)
  if (!event) return undefined
  const published = documentOf(event)
  const decoded = await documents.decode(published, publisher)
  const read = 'ddo' in decoded ? decoded : await documents.decodeCopy(copy, published.hash, publisher)
  return 'ddo' in read ? read.ddo : undefined
}
