import { Semaphore } from '@tidegate/common'
import {
  assetDocumentText,
  type IndexedAsset,
  type OnChainData,
  ProviderError,
  readable,
  SearchError,
  shortenedDocument,
} from '@tidegate/protocol'
import { LRUCache } from 'lru-cache'
import { CATALOG_LIMITS } from '../limits.js'
import { type ServedParts, SourcePicker } from './source.js'
import type { SourceFilter } from './syntax.js'

const LIMITS = CATALOG_LIMITS.search

/** Remaining characters of long documents in a response. A document with more is shortened. */
export interface Budget {
  left: number
}

/** A hit with a long document, and the data to serve it. */
export interface LongHit {
  asset: IndexedAsset
  source: SourceFilter
  onChain: OnChainData
  purgatory: string | undefined
  budget: Budget
  signal: AbortSignal
}

/** Threads that read documents. Methods return undefined for an unreadable document or a too long result. */
interface DocumentThreads {
  served(parts: ServedParts): Promise<string | undefined>
  shortened(text: string): Promise<string | undefined>
}

/** Serves the long documents of hits. Reads them singly and parses them in a thread, so that other requests are not delayed. */
export class LongDocuments {
  private readonly kept = new LRUCache<string, string>({ maxSize: LIMITS.keptShortened, sizeCalculation: sizeOf })
  private readonly turns = new Semaphore(LIMITS.parsed.atOnce, LIMITS.parsed.queue, { full: busy, closed: busy })

  /** `read` returns the document of an asset; undefined if the asset has changed since. */
  constructor(
    private readonly read: (asset: IndexedAsset) => Promise<string | undefined>,
    private readonly documents: DocumentThreads,
  ) {}

  /** Returns the served document as JSON; undefined if the asset has changed since. */
  async text(hit: LongHit): Promise<string | undefined> {
    const { asset, budget } = hit
    const most = hit.purgatory === undefined ? budget.left : 0
    const key = `${asset.metadata.did} ${asset.metadata.txId}`
    let text: string | undefined
    if (most > 0) {
      const mayCopy = asset.services !== undefined && isWhole(hit.source)
      if (!mayCopy || (asset.unread as number) <= most) {
        text = await this.read(asset)
        if (text === undefined) return undefined
        const whole = mayCopy ? copied(hit, text) : await this.picked(hit, text, most)
        if (whole !== undefined && whole.length <= most) {
          budget.left -= whole.length
          return whole
        }
        // halves the budget, so that few documents are parsed in vain
        budget.left = most / 2 < LIMITS.long ? 0 : Math.floor(most / 2)
      }
    }
    let short = this.kept.get(key)
    if (short === undefined) {
      text ??= await this.read(asset)
      if (text === undefined) return undefined
      short = await this.inThread(hit, () => this.documents.shortened(text as string))
      if (short !== undefined) this.kept.set(key, short)
    }
    return shortText(hit, short)
  }

  /** Returns the requested parts of a document; undefined if they are too long or unreadable now. */
  private picked({ asset, source, onChain, purgatory, signal }: LongHit, text: string, most: number) {
    const read = { ...asset, metadata: { ...asset.metadata, ddo: text } }
    return this.inThread({ signal }, () => this.documents.served({ asset: read, source, onChain, purgatory, most }))
  }

  /** Returns the result of a thread; undefined if it fails, so that the response goes on. */
  private async inThread({ signal }: Pick<LongHit, 'signal'>, task: () => Promise<string | undefined>) {
    try {
      await this.turns.acquire({ signal })
      return await task().finally(() => this.turns.release())
    } catch (error) {
      if (error instanceof ProviderError) return undefined
      throw error
    }
  }
}

/** Returns the served document without parsing: its text is served unchanged. */
function copied({ asset, onChain, purgatory }: LongHit, text: string): string | undefined {
  const one = readable({ ...asset, metadata: { ...asset.metadata, ddo: text } })
  return one && assetDocumentText(one, onChain, purgatory)
}

/** Returns a shortened document as served; undefined if it is unreadable now. */
export function shortText({ asset, source, onChain, purgatory }: Omit<LongHit, 'budget' | 'signal'>, short?: string) {
  const picker = new SourcePicker(source)
  return shortenedDocument(asset, short, onChain, { purgatory, pick: (document) => picker.pick(document) })
}

/** Whether a filter selects whole documents. */
export function isWhole({ includes, excludes }: SourceFilter): boolean {
  return includes.length + excludes.length === 0
}

const sizeOf = (text: string, key: string) => text.length + key.length
const busy = () => new SearchError('SEARCH_UNAVAILABLE', 'Too many long documents are being read.')
