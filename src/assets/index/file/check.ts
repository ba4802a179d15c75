import { BOUNDS } from '../../../bounds.js'
import type { Chain } from '../../../chain/chains.js'
import type { IndexedMetadata } from '../../../ddo/indexed.js'
import { sha256 } from '../../../ddo/published-document.js'
import type { DocumentReader } from '../../documents.js'
import { statusOnChain } from '../chain-view.js'
import { Comparison, type Part } from './compare.js'
import { IndexFileError, type IndexFileHeader } from './format.js'
import { type FileRow, openIndexFile } from './rows.js'
import { positionsOf, Sample } from './sample.js'

export interface CheckOptions {
  /** The chain of the file's header. */
  chain: Chain
  documents: DocumentReader
  /** Largest document that the index holds, in bytes. */
  maxDocument: number
  /** NFTs of the sample that is compared with the chain. */
  sample: number
  /** Chooses the sample. */
  seed: number
}

/** What is known of a file that was checked. */
export interface Checked {
  /** SHA-256 of its lines, as hex. */
  sha256: string
  /** NFTs that were compared with the chain, with their datatokens and assets. */
  sampled: number
  /** Whether events after the rows' own blocks were compared too. */
  complete: boolean
}

/** Checks that a header is of this chain, as it is now. Throws IndexFileError and ChainError. */
export async function checkHeader(header: IndexFileHeader, chain: Chain): Promise<void> {
  const { factory, startBlock } = chain.deployment
  const refuse = (field: string, reason: string): never => {
    throw new IndexFileError(`line 1, ${field}: ${reason}.`)
  }
  if (header.factory !== factory) refuse('factory', `is not that of chain ${chain.chainId}, ${factory}`)
  if (header.startBlock > startBlock)
    refuse(
      'startBlock',
      `is after the first block that the index reads, ${startBlock}: earlier assets would be missing`,
    )
  if (header.checkpoint.block < startBlock) refuse('checkpoint.block', 'is before the first block that the index reads')
  const status = await statusOnChain(chain, header.checkpoint)
  if (status === 'other') refuse('checkpoint.hash', 'the chain has another block there: the file is of another history')
  if (status === 'unknown')
    refuse('checkpoint.block', 'is not known to the nodes of the chain, or too few of them answer')
}

/**
 * Reads a whole file: its form, its digest, every document in it, and compares a sample with the chain. Writes nothing.
 * Throws IndexFileError, ChainError and SandboxError.
 */
export async function checkFile(path: string, options: CheckOptions): Promise<Checked> {
  const { chain, documents, sample: size, seed } = options
  const { header, rows } = await openIndexFile(path)
  const positions = positionsOf(header.counts.nfts, size, seed)
  const sample = new Sample(positions)
  const maxRanges = size === Number.POSITIVE_INFINITY ? size : BOUNDS.indexFile.ranges
  const comparison = new Comparison(chain, documents, header.checkpoint, maxRanges)
  const group = new Group((parts) => comparison.compare(parts))
  const checks = new InFlight(BOUNDS.indexFile.documents)
  try {
    for (let next = await rows.next(); ; next = await rows.next()) {
      if (next.done) {
        await checks.all()
        await group.add(sample.end())
        await group.flush()
        return { sha256: next.value, sampled: sample.size, complete: comparison.complete }
      }
      const found = next.value
      if (found.row.kind === 'asset') await checks.add(() => checkDocument(found, options))
      await group.add(sample.add(found))
    }
  } finally {
    await checks.all().catch(() => undefined)
    await rows.return('')
  }
}

/** Whether the document of a row has to be read from the chain: the file has none that this provider may take. */
export function isMissing({ ddo, reason }: IndexedMetadata, maxDocument: number): boolean {
  return reason === null && (ddo === null || Buffer.byteLength(ddo) > maxDocument)
}

/** Checks a document as if it had been published in plain text: the index holds none that was not. */
async function checkDocument({ row, at }: FileRow, { chain, documents, maxDocument }: CheckOptions): Promise<void> {
  if (row.kind !== 'asset' || row.metadata.ddo === null || isMissing(row.metadata, maxDocument)) return
  const { nft, ddo, did } = row.metadata
  const bytes = Buffer.from(ddo)
  const published = { flags: '0x00', data: `0x${bytes.toString('hex')}`, hash: sha256(bytes) } as const
  const decoded = await documents.decodeWithRetry(published, { nft, chain })
  if ('reason' in decoded) throw new IndexFileError(`line ${at}, metadata.ddo: ${decoded.reason}.`)
  if (decoded.did !== did) throw new IndexFileError(`line ${at}, metadata.did: is not that of the document.`)
}

/** Parts that are compared together. */
class Group {
  private parts: Part[] = []

  constructor(private readonly compare: (parts: Part[]) => Promise<void>) {}

  async add(part: Part | undefined): Promise<void> {
    if (!part) return
    const datatokens = (parts: Part[]) => parts.reduce((sum, one) => sum + one.datatokens.length, 0)
    if (datatokens([...this.parts, part]) > BOUNDS.indexFile.datatokens) await this.flush()
    this.parts.push(part)
    const size = this.parts.reduce((sum, one) => sum + one.size, 0)
    if (this.parts.length >= BOUNDS.indexFile.compared || size >= BOUNDS.indexFile.bytes) await this.flush()
  }

  async flush(): Promise<void> {
    const parts = this.parts
    this.parts = []
    if (parts.length > 0) await this.compare(parts)
  }
}

/** Some tasks at once. The first one that fails makes the next call reject. */
class InFlight {
  private readonly running = new Set<Promise<void>>()
  private failure: unknown

  constructor(private readonly most: number) {}

  async add(task: () => Promise<void>): Promise<void> {
    while (this.running.size >= this.most) await Promise.race(this.running)
    if (this.failure) throw this.failure
    const running = task()
      .catch((error: unknown) => {
        this.failure ??= error
      })
      .finally(() => this.running.delete(running))
    this.running.add(running)
  }

  async all(): Promise<void> {
    await Promise.all(this.running)
    if (this.failure) throw this.failure
  }
}
