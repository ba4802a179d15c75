import { setImmediate as turn } from 'node:timers/promises'
import { BOUNDS } from '../bounds.js'
import type { IndexedAsset } from '../ddo/indexed.js'
import type { OnChainData } from '../ddo/on-chain-data.js'
import { opened, type SoldAsset } from '../ddo/opened.js'
import { readable } from '../ddo/readable.js'
import { assetDocument, assetDocumentText } from '../ddo/served-document.js'
import { SourcePicker } from './source.js'
import type { Found, SourceFilter } from './syntax.js'

const LIMITS = BOUNDS.search

/** Characters of documents to serialize before yielding to the event loop. */
const TURN = 262_144

/** Sources of data about assets from the chain and the operator. */
export interface HitSources {
  facts(asset: SoldAsset): Promise<OnChainData>
  purgatory(did: string): string | undefined
}

export interface Hit {
  did: string
  score: number | null
  /** As JSON; undefined if not requested. */
  document?: string
}

/**
 * The documents of a page of hits, as the document route serves them. They are parsed and serialized a few at a time, since
 * a page may have megabytes, and both block the event loop.
 */
export async function hitsOf(
  { hits, assets }: Found,
  source: SourceFilter | undefined,
  from: HitSources,
): Promise<Hit[]> {
  if (!source) return hits
  const found = hits.flatMap((hit) => {
    const asset = assets.get(hit.did)
    return asset ? [{ hit, asset }] : []
  })
  const rest = breaks()
  const read = readerFor(source)
  // those of which the chain is asked are kept until it has answered; the others are parsed when they are written
  const first: (Writable | undefined)[] = []
  for (const { asset } of found.slice(0, LIMITS.facts)) {
    first.push(read(asset))
    await rest(asset)
  }
  const facts = await factsOf(first, from)
  const result: Hit[] = []
  for (const [at, { hit, asset }] of found.entries()) {
    const one = at < first.length ? first[at] : read(asset)
    if (one) result.push({ ...hit, document: one.text(facts[at] ?? {}, from.purgatory(hit.did)) })
    await rest(asset)
  }
  return result
}

/** A document that was read, to be written once what the chain says of it is known. */
interface Writable {
  sold: SoldAsset
  text(onChain: OnChainData, purgatory: string | undefined): string
}

function readerFor(source: SourceFilter): (asset: IndexedAsset) => Writable | undefined {
  if (source.includes.length + source.excludes.length === 0)
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

/** Yields to the event loop after a number of characters of documents. */
function breaks() {
  let since = 0
  return ({ metadata }: IndexedAsset): Promise<void> | undefined => {
    since += metadata.ddo?.length ?? 0
    if (since < TURN) return undefined
    since = 0
    return turn()
  }
}

/** On-chain data of some assets, if available before the deadline; the others get the data of the index. */
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
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LIMITS.factsDeadline)
  })
  await Promise.race([deadline, Promise.all(Array.from({ length: LIMITS.factsInFlight }, worker))])
  clearTimeout(timer)
  isOver = true
  return [...known]
}
