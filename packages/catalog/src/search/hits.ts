import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import {
  assetDocument,
  assetDocumentText,
  type IndexedAsset,
  type OnChainData,
  opened,
  readable,
  readServices,
  type SoldAsset,
  shortenedText,
} from '@tidegate/protocol'
import { CATALOG_LIMITS } from '../limits.js'
import { isWhole, type LongDocuments, shortText } from './long-documents.js'
import { SourcePicker } from './source.js'
import type { SearchResult, SourceFilter } from './syntax.js'

const LIMITS = CATALOG_LIMITS.search

/** Sources of data about assets from the chain, the operator and the index. */
export interface HitSources {
  facts(asset: SoldAsset): Promise<OnChainData>
  purgatory(did: string): string | undefined
  /** Reads assets of hits that were not read with the page. Omits assets that are gone. */
  assets(dids: string[]): Promise<Map<string, IndexedAsset>>
  long: LongDocuments
  signal: AbortSignal
}

export interface Hit {
  did: string
  score: number | null
  /** JSON; undefined if not requested. */
  document?: string
}

/**
 * Yields the hits of a page with their served documents. Reads documents while the response is sent, a few at a time and long ones singly,
 * since a page may have a gigabyte of them. CATALOG_LIMITS.search.longDocuments limits long documents.
 */
export async function* hitsOf(
  { hits, assets }: SearchResult,
  source: SourceFilter | undefined,
  from: HitSources,
): AsyncGenerator<Hit> {
  if (!source) {
    yield* hits
    return
  }
  const rest = breaks()
  const read = readerFor(source)
  // hits with on-chain data are parsed before the request to the chain, others when they are written
  const first: (Writable | undefined)[] = []
  for (const { did } of hits.slice(0, LIMITS.facts)) {
    const asset = assets.get(did)
    first.push(asset && (asset.unread === undefined ? read(asset) : unreadOf(asset)))
    await rest(asset?.metadata.ddo?.length ?? 0)
  }
  const facts = await factsOf(first, from)
  const budget = { left: LIMITS.longDocuments as number }
  for await (const [at, hit, asset] of withAssets(hits, assets, from)) {
    const { unread } = asset
    const [onChain, purgatory] = [facts[at] ?? {}, from.purgatory(hit.did)]
    const one = first[at] ?? (unread === undefined ? read(asset) : undefined)
    // frees the document after it is written
    first[at] = undefined
    const text = one?.text?.(onChain, purgatory)
    let document = text
    if (unread !== undefined) {
      document = await from.long.text({ asset, source, onChain, purgatory, budget, signal: from.signal })
    } else if (text !== undefined && text.length > 2 * LIMITS.long) {
      // data of chain and index make the document long
      const isTooLong = purgatory !== undefined || text.length > budget.left
      if (isTooLong)
        document = shortText({ asset, source, onChain, purgatory }, shortenedText(asset.metadata.ddo as string))
      else budget.left -= text.length
    }
    if (document !== undefined) yield { ...hit, document }
    await rest((unread ?? 0) + (document?.length ?? 0))
  }
}

/** Yields hits with their position and asset. Reads missing assets, a few at a time. */
async function* withAssets(
  hits: SearchResult['hits'],
  assets: SearchResult['assets'],
  from: HitSources,
): AsyncGenerator<[at: number, hit: SearchResult['hits'][number], asset: IndexedAsset]> {
  let [later, end] = [new Map<string, IndexedAsset>(), 0]
  for (const [at, hit] of hits.entries()) {
    if (at >= end && !assets.has(hit.did)) {
      end = at + LIMITS.ahead
      const dids = hits.slice(at, end).map(({ did }) => did)
      later = await from.assets(dids.filter((did) => !assets.has(did)))
    }
    const asset = assets.get(hit.did) ?? later.get(hit.did)
    if (asset) yield [at, hit, asset]
  }
}

/** A document that waits for its on-chain data. */
interface Writable {
  sold: SoldAsset
  /** Serializes the document; undefined for a long one, which is read later. */
  text?(onChain: OnChainData, purgatory: string | undefined): string
}

/** Returns a long document with its stored services only. */
function unreadOf(asset: IndexedAsset): Writable {
  return { sold: { asset, services: asset.services === undefined ? [] : readServices(asset.services) } }
}

function readerFor(source: SourceFilter): (asset: IndexedAsset) => Writable | undefined {
  if (isWhole(source))
    return (asset) => {
      const sold = readable(asset)
      return sold && { sold, text: (...more) => assetDocumentText(sold, ...more) }
    }
  const picker = new SourcePicker(source)
  return (asset) => {
    const sold = opened(asset)
    return sold && { sold, text: (...more) => JSON.stringify(picker.pick(assetDocument(sold, ...more))) }
  }
}

/** Returns a function that yields to the event loop after a number of characters. */
function breaks() {
  let since = 0
  return (characters: number): Promise<void> | undefined => {
    since += characters
    if (since < LIMITS.turn) return undefined
    since = 0
    return turn()
  }
}

/** Returns on-chain data of assets, as far as available before the deadline. */
async function factsOf(assets: (Writable | undefined)[], { facts }: HitSources) {
  const known: (OnChainData | undefined)[] = []
  const asked = assets.entries()
  let isOver = false
  const worker = async () => {
    for (const [at, asset] of asked) {
      if (isOver) return
      if (asset) known[at] = await facts(asset.sold)
    }
  }
  const timer = new AbortController()
  const deadline = sleep(LIMITS.factsDeadline, undefined, { signal: timer.signal }).catch(() => undefined)
  await Promise.race([deadline, Promise.all(Array.from({ length: LIMITS.factsInFlight }, worker))])
  timer.abort()
  isOver = true
  return [...known]
}
