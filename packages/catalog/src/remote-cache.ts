import { type Chain, type Chains, METADATA_TOPICS, untrustedView } from '@tidegate/chain'
import { describeAnswer, describeFailedExchange, type Logger, type Outbound } from '@tidegate/common'
import { isDid, PROTOCOL_LIMITS } from '@tidegate/protocol'
import { didsOf, type Hint } from '@tidegate/protocol/documents'
import { type Address, type Log, numberToHex } from 'viem'
import type { DocumentReader } from './documents.js'
import { CATALOG_LIMITS } from './limits.js'
import { documentOf, lastMetadata } from './published.js'
import type { AssetSource, UnverifiedAsset } from './resolver.js'
import { BASE_SIZE, SharedResults } from './shared-results.js'

/** Bytes of memory per character of a parsed document. */
const PARSED = 4

/** The result of a look-up, and its bytes of memory. */
interface LookedUp {
  asset?: UnverifiedAsset
  size: number
}
const NOTHING: LookedUp = { size: 0 }

export interface RemoteCacheOptions {
  /** Base URL without a trailing slash. */
  url: string
  chains: Chains
  outbound: Outbound
  documents: DocumentReader
  /** Bytes of a published document. */
  maxDocument: number
  /** Time to live of a look-up's result, in milliseconds. */
  ttl: number
  log: Logger
}

/**
 * Returns a metadata cache as a source of assets. The cache only names the NFT: state, datatokens and document come from the chain. If
 * this provider cannot decrypt the document, it accepts the cache's copy if that has the published hash.
 */
export function remoteCacheSource(options: RemoteCacheOptions): AssetSource {
  const known = new SharedResults<LookedUp>({
    maxSize: PROTOCOL_LIMITS.document.remoteCache,
    size: ({ size }) => BASE_SIZE + size,
    ttl: options.ttl,
  })

  async function lookUp(did: string): Promise<LookedUp> {
    const copy = await fetchCopy(options, did)
    const hint = copy && (await options.documents.hint(copy))
    const chain = hint && options.chains.get(hint.chainId)
    if (!chain || !didsOf(hint.nft, hint.chainId).includes(did)) return NOTHING
    const published = await newestOnChain(chain, hint)
    if (!published) return NOTHING
    const text = await textOf(published.log, copy, { nft: hint.nft, chain }, options.documents)
    const ddo = text === undefined ? undefined : await options.documents.stored(text)
    if (ddo?.id !== did) return NOTHING
    const { state, datatokens } = published
    const asset = { chainId: hint.chainId, nft: hint.nft, state, ddo, datatokens }
    return { asset, size: PARSED * (text ?? '').length + BASE_SIZE * datatokens.length }
  }

  return {
    name: 'metadata cache',
    async find(did) {
      if (!isDid(did)) return undefined
      return (await known.get(did, () => lookUp(did))).asset
    },
  }
}

async function fetchCopy({ url, outbound, log, maxDocument }: RemoteCacheOptions, did: string) {
  const failed = (reason: string) => log.warn({ host: new URL(url).host, reason }, 'metadata cache failed')
  try {
    // caches add escapes and white space to the document
    const maxSize = 2 * maxDocument + CATALOG_LIMITS.outbound.added
    const response = await outbound.text(`${url}/api/aquarius/assets/ddo/${did}`, maxSize)
    if (response.status === 200 && !NO_JSON.test(response.text)) return response.text
    // 404: the cache does not know the asset
    if (response.status !== 404) failed(describeAnswer(response, 'JSON'))
  } catch (error) {
    failed(describeFailedExchange(error))
  }
  return undefined
}

/** A page of HTML or XML. Other texts are parsed in a sandbox. */
const NO_JSON = /^\s*</

/** Reads the NFT and its newest metadata event from the chain; undefined if the factory did not deploy it. */
async function newestOnChain({ nodes, deployment }: Chain, { nft, txId }: Hint) {
  return nodes.ask(
    async (client, callUntrusted, _abilities, moment) => {
      const [listed, state, datatokens, receipt] = await Promise.all([
        untrustedView(callUntrusted, deployment.factory, 'erc721List', [nft]),
        untrustedView(callUntrusted, nft, 'metaDataState', []),
        untrustedView(callUntrusted, nft, 'getTokensList', []),
        client.request({ method: 'eth_getTransactionReceipt', params: [txId] }),
      ])
      if (listed !== nft || state === undefined || !datatokens || !receipt) return undefined
      // the cache may name an old event, so newer ones are requested
      const filter = {
        address: nft,
        fromBlock: receipt.blockNumber,
        toBlock: numberToHex(await moment.block()),
        topics: [METADATA_TOPICS],
      } as const
      const logs = await client.request({ method: 'eth_getLogs', params: [filter as never] })
      const log = logs.at(-1)
      return log && { state, datatokens: [...datatokens], log: log as unknown as Log }
    },
    { accept: (found) => found !== undefined },
  )
}

/** Returns the text of the published document, or of the cache's copy if that has the published hash. */
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
  const usable = 'ddo' in decoded ? decoded : await documents.decodeCopy(copy, published.hash, publisher)
  return 'ddo' in usable ? usable.ddo : undefined
}
