import { CHAIN_LIMITS, type Chain, type ChainEvent, decodeEvent, METADATA_TOPICS, topicsOf } from '@tidegate/chain'
import { COMMON_LIMITS } from '@tidegate/common'
import type { Dialect } from '@tidegate/database'
import { checksummed, type IndexedAsset } from '@tidegate/protocol'
import type { Address, Log } from 'viem'
import type { DecodedForIndex, DocumentReader, Publication } from '../documents.js'
import { CATALOG_LIMITS } from '../limits.js'
import { documentOf, type MetadataEvent } from '../published.js'
import { datatokenOf, metadataFrom, nftOf } from './indexed.js'

/** Options of decoding documents. The signal aborts it. */
export interface DecodeOptions {
  documents: DocumentReader
  signal?: AbortSignal | undefined
  /** The dialect of search rows to prepare with documents that are decoded ahead. Default: no rows. */
  dialect?: Dialect | undefined
  /** The scope in which the last document of an NFT replaces earlier ones, which are not decoded. Default: block. */
  replaces?: 'block' | 'range' | undefined
}

/** Documents that are decoded ahead: two groups per thread of the sandbox, so that no thread waits. */
const MOST_AHEAD = 4 * COMMON_LIMITS.sandbox.batch.documents

const DEPLOYMENTS = new Set<unknown>(topicsOf(['NFTCreated', 'TokenCreated']))
const METADATA = new Set<unknown>(METADATA_TOPICS)

interface Started {
  event: ChainEvent
  size: number
  decoded: Promise<DecodedForIndex | undefined>
}

/** A document of a group that is decoded together. */
interface Member extends Publication {
  log: Log
  event: ChainEvent
}

/** A data NFT that was deployed in this range, and its datatokens. */
type DeployedAsset = Pick<IndexedAsset, 'nft' | 'datatokens'>

/**
 * Decodes the documents of a range's events in order, and some of them ahead, so that threads and database work concurrently. One task
 * decodes a group of documents, at a lower priority than requests. For assets that were deployed in this range, the threads also make
 * the search rows.
 */
export class DocumentsAhead {
  private readonly started = new Map<Log, Started>()
  private readonly deployed = new Map<Address, DeployedAsset>()
  /** Events that were decoded ahead; undefined for a malformed one. */
  private readonly noted = new Map<Log, ChainEvent | undefined>()
  /** The last metadata event by scope. */
  private readonly last = new Map<string, Log>()
  /** Position of the first log that was not read. */
  private next = 0
  private size = 0

  /** `logs`: in the order of calls of documentOf. */
  constructor(
    private readonly logs: readonly Log[],
    private readonly chain: Chain,
    private readonly read: DecodeOptions,
  ) {
    for (const log of logs) if (METADATA.has(log.topics[0])) this.last.set(this.scopeOf(log), log)
  }

  /** Decodes an event; undefined if it is malformed. */
  eventOf(log: Log): ChainEvent | undefined {
    const known = this.started.get(log)?.event ?? this.noted.get(log)
    this.noted.delete(log)
    return known ?? decodeEvent(log)
  }

  /** Returns whether a later document replaces the one of this event. A block may contain hundreds of documents of one NFT. */
  isReplaced(log: Log): boolean {
    if (!METADATA.has(log.topics[0])) return false
    const last = this.last.get(this.scopeOf(log))
    if (!last || last === log) return false
    if (!this.noted.has(last)) this.noted.set(last, decodeEvent(last))
    return this.noted.get(last) !== undefined
  }

  /** Decodes the document of a metadata event. Throws SandboxError, or the signal's reason. */
  async documentOf(log: Log, event: MetadataEvent): Promise<DecodedForIndex> {
    this.start()
    const early = this.started.get(log)
    if (early) {
      this.started.delete(log)
      this.size -= early.size
    } else while (this.next < this.logs.length && this.logs[this.next++] !== log);
    const { documents, signal } = this.read
    const { published, publisher } = this.publication(log, event)
    return (await early?.decoded) ?? documents.decodeWithRetry(published, publisher, { signal })
  }

  private start(): void {
    const { documents, size } = COMMON_LIMITS.sandbox.batch
    let group: Member[] = []
    let length = 0
    // only whole groups, except at the end
    while (this.next < this.logs.length && this.started.size <= MOST_AHEAD - documents) {
      if (this.size >= CHAIN_LIMITS.chain.decoded) break
      const log = this.logs[this.next++] as Log
      if (DEPLOYMENTS.has(log.topics[0])) this.note(log)
      const member = METADATA.has(log.topics[0]) && !this.isReplaced(log) ? this.member(log) : undefined
      if (!member) continue
      group.push(member)
      length += decodedSize(log)
      if (group.length < documents && length < size) continue
      this.startGroup(group)
      group = []
      length = 0
    }
    if (group.length > 0) this.startGroup(group)
  }

  private member(log: Log): Member | undefined {
    try {
      const event = this.noted.get(log) ?? decodeEvent(log)
      if (!event) return undefined
      const publication = this.publication(log, event as MetadataEvent)
      return { log, event, ...publication, expected: this.expected(event as MetadataEvent, publication.publisher.nft) }
    } catch {
      return undefined // reported when its turn comes
    }
  }

  private note(log: Log): void {
    try {
      const event = decodeEvent(log)
      if (event) this.noted.set(log, event)
      if (event?.eventName === 'NFTCreated')
        this.deployed.set(event.args.newTokenAddress, { nft: nftOf(event), datatokens: [] })
      if (event?.eventName === 'TokenCreated')
        this.deployed.get(event.args.creator)?.datatokens.push({ ...datatokenOf(event), orders: 0 })
    } catch {
      // reported when its turn comes
    }
  }

  /** Returns the asset of an event without its document, if it was deployed in this range. */
  private expected(event: MetadataEvent, nft: Address): Publication['expected'] {
    const { chainId } = this.chain
    const { dialect } = this.read
    const deployed = this.deployed.get(nft)
    if (!dialect || !deployed) return undefined
    const metadata = metadataFrom(event, nft, { chainId }, { ddo: '', did: '' })
    // a copy, since further datatokens may follow
    return { asset: { chainId, nft: deployed.nft, datatokens: [...deployed.datatokens], metadata }, dialect }
  }

  private scopeOf({ address, blockHash }: Log): string {
    return this.read.replaces === 'range' ? address : `${address} ${blockHash}`
  }

  private publication(log: Log, event: MetadataEvent): Publication {
    return { published: documentOf(event), publisher: { nft: checksummed(log.address), chain: this.chain } }
  }

  private startGroup(group: Member[]): void {
    const { documents, signal } = this.read
    const all = documents
      .decodeBatch(group, { signal })
      // for example a full queue: documents are then decoded in their turn
      .catch(() => undefined)
    for (const [at, { log, event }] of group.entries()) {
      const size = decodedSize(log)
      this.started.set(log, { event, size, decoded: all.then((decoded) => decoded?.[at]) })
      this.size += size
    }
  }
}

/** Estimates the characters of a document with its search rows: honest documents compress 3 to 20 times. */
function decodedSize({ data }: Log): number {
  return Math.min(16 * data.length, CATALOG_LIMITS.index.document)
}
