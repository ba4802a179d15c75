import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Address, getAddress, type Hex, isHex, type Log } from 'viem'
import { topicsOf, VIEWS } from '../chain/abi.js'
import type { Chain, Chains } from '../chain/chains.js'
import { foreignView } from '../chain/foreign.js'
import { isAddressText } from '../crypto/address.js'
import type { Logger } from '../logger.js'
import type { Outbound } from '../outbound/outbound.js'
import { didsOf, readDdo } from './ddo.js'
import { decodeDocument } from './index/decode.js'
import { lastMetadata } from './published.js'
import type { AssetSource, SourcedAsset } from './resolver.js'

const DID = /^did:ope?:[0-9a-f]{64}$/
const MAX_KEPT = 10_000
const METADATA_TOPICS = topicsOf(['MetadataCreated', 'MetadataUpdated'])

/** Fields that metadata caches add to a published document. */
const ADDED = ['nft', 'datatokens', 'event', 'stats', 'purgatory', 'accessDetails', 'indexedMetadata']

export interface RemoteCacheOptions {
  /** Base URL without a trailing slash. */
  url: string
  chains: Chains
  outbound: Outbound
  /** Largest document accepted, in bytes. */
  maxDdoSize: number
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
    const hint = copy && hintOf(copy)
    const chain = hint && options.chains.get(hint.chainId)
    if (!chain || !didsOf(hint.nft, hint.chainId).includes(did)) return false
    const published = await onChain(chain, hint)
    if (!published) return false
    const text = await documentOf(published.log, copy, { nft: hint.nft, chain, maxSize: options.maxDdoSize })
    const read = text === undefined ? undefined : readDdo(JSON.parse(text))
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

type Json = Record<string, unknown>

async function fetched({ url, outbound, log }: RemoteCacheOptions, did: string): Promise<Json | undefined> {
  try {
    const { status, json } = await outbound.get(`${url}/api/aquarius/assets/ddo/${did}`)
    return status === 200 && typeof json === 'object' && json !== null ? (json as Json) : undefined
  } catch {
    log.warn({ host: new URL(url).host }, 'metadata cache did not answer')
    return undefined
  }
}

/** Where the cache says that the asset is. */
interface Hint {
  chainId: number
  nft: Address
  txId: Hex
}

function hintOf(copy: Json): Hint | undefined {
  const subject = (copy.credentialSubject ?? copy) as Json
  const indexed = (copy.indexedMetadata ?? copy) as { nft?: { address?: unknown }; event?: Json }
  const { chainId, nftAddress } = subject
  const txId = indexed.event?.tx ?? indexed.event?.txid
  if (typeof chainId !== 'number' || !isAddressText(nftAddress)) return undefined
  const told = indexed.nft?.address ?? nftAddress
  if (String(told).toLowerCase() !== nftAddress.toLowerCase() || !isHex(txId) || txId.length !== 66) return undefined
  return { chainId, nft: getAddress(nftAddress), txId }
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

async function documentOf(
  log: Log,
  copy: Json,
  { nft, chain, maxSize }: { nft: Address; chain: Chain; maxSize: number },
): Promise<string | undefined> {
  const published = lastMetadata([log], nft)
  if (!published) return undefined
  const decoded = await decodeDocument(published, { nft, chainId: chain.chainId, keys: chain.keys, maxSize })
  if ('ddo' in decoded) return decoded.ddo
  return spellings(copy).find((text) => `0x${createHash('sha256').update(text).digest('hex')}` === published.hash)
}

/** The document without what caches add, as the publishing libraries write JSON. */
function spellings(copy: Json): string[] {
  const bare = Object.fromEntries(Object.entries(copy).filter(([name]) => !ADDED.includes(name)))
  const subject = bare.credentialSubject as Json | undefined
  if (subject) {
    const { datatokens: _datatokens, ...own } = subject
    bare.credentialSubject = own
  }
  return [JSON.stringify(bare), pythonJson(bare)]
}

/** JSON as Python writes it: spaces after commas and colons, and nothing but ASCII. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, part]) => `${pythonJson(name)}: ${pythonJson(part)}`)
      .join(', ')}}`
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
