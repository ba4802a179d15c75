import { setTimeout } from 'node:timers/promises'
import { StorageError } from '@tidegate/protocol'
import type { CID } from 'multiformats/cid'
import { STORAGE_LIMITS } from '../../limits.js'
import type { BlockSource } from './block-source.js'
import { type Block, broken, bytesOf, DAG_PB, IDENTITY, Link, RAW } from './blocks.js'
import type { FetchBudget } from './budget.js'
import { readFileBlock } from './dag-pb.js'
import { Upcoming } from './upcoming.js'

/** Bytes of a file, in pieces. */
export type Piece = Pick<Block, 'pieces' | 'length'>

/** A node of the file's tree: inline bytes, then links to further nodes. */
interface TreeNode {
  own: Piece
  size: number
  links: { cid: Uint8Array; size: number }[]
}

/** Bytes of the file that wait for the verification of their block. */
interface Waiting {
  own: Piece
  verified: Promise<void>
}

/** Maximum unverified blocks while the next ones are read. */
const UNVERIFIED_BLOCKS = 8

/**
 * A UnixFS file, read in tree order from one source of blocks. Own code, since the library crashes the process if a block is missing or
 * the reader leaves.
 */
export class UnixFile {
  private readonly upcoming = new Upcoming()

  private constructor(
    private readonly root: TreeNode,
    private readonly source: BlockSource,
    private readonly budget: FetchBudget,
  ) {}

  /** Reads the root of a file. Rejects with StorageError, or with GatewayFailure if another source may deliver it. */
  static async open(cid: CID, source: BlockSource, budget: FetchBudget): Promise<UnixFile> {
    const link = new Link(cid.bytes, 0)
    const block = await source.block(link, new Upcoming())
    await block.verified
    return new UnixFile(await readNode(link, block), source, budget)
  }

  /** Bytes of the whole file, as the root claims. */
  get size(): number {
    return this.root.size
  }

  /**
   * Yields the bytes from `start` to `end` (exclusive). Call it once. Reads only the needed blocks. Follows links of a block during
   * its verification, but yields bytes only after all blocks before them are verified. Rejects like `open`.
   */
  async *bytes(start: number, end: number): AsyncGenerator<Piece> {
    this.budget.allow(Math.min(end - start, STORAGE_LIMITS.ipfs.readAhead))
    const waiting = [this.expand(this.root, 0, start, end, Promise.resolve())]
    for (let link = this.upcoming.pop(); link; link = this.upcoming.pop()) {
      const reading = outcomeOf(this.source.block(link, this.upcoming))
      yield* this.verifiedUntil(reading, waiting)
      const read = await reading
      if (!read.block) {
        yield* this.verifiedUntil(undefined, waiting)
        throw read.error
      }
      const node = await readNode(link, read.block)
      waiting.push(this.expand(node, link.offset, start, end, read.block.verified))
    }
    const finished = this.source.finish?.().catch(() => undefined)
    yield* this.verifiedUntil(undefined, waiting)
    const late = new AbortController()
    await Promise.race([finished, setTimeout(STORAGE_LIMITS.ipfs.carEnd, undefined, late)]).finally(() => late.abort())
  }

  /** Yields verified bytes until the next block is read and there is room for it; without `reading`, all of them. */
  private async *verifiedUntil(reading: Promise<unknown> | undefined, waiting: Waiting[]): AsyncGenerator<Piece> {
    const bytes = () => waiting.reduce((sum, { own }) => sum + own.length, 0)
    for (let first = waiting[0]; first; first = waiting[0]) {
      const full = waiting.length >= UNVERIFIED_BLOCKS || bytes() > STORAGE_LIMITS.ipfs.unverified
      if (full || !reading) await first.verified
      else if ((await Promise.race([reading, first.verified])) !== undefined) return
      waiting.shift()
      if (first.own.length === 0) continue
      this.budget.allow(first.own.length * STORAGE_LIMITS.ipfs.factor)
      yield first.own
    }
  }

  /** Queues the links of a node in the range. Returns its inline bytes in the range. */
  private expand(node: TreeNode, offset: number, start: number, end: number, verified: Promise<void>): Waiting {
    this.upcoming.push(linksWithin(node, offset, start, end))
    if (this.upcoming.length > STORAGE_LIMITS.ipfs.pending) throw broken()
    return { own: within(node.own, Math.max(0, start - offset), Math.max(0, end - offset)), verified }
  }
}

/** Returns the bytes from `start` to `end` (exclusive) of a piece. */
function within({ pieces, length }: Piece, start: number, end: number): Piece {
  if (start === 0 && end >= length) return { pieces, length }
  const parts: Uint8Array[] = []
  let at = 0
  for (const piece of pieces) {
    const part = piece.subarray(Math.max(0, start - at), Math.max(0, end - at))
    if (part.length > 0) parts.push(part)
    at += piece.length
  }
  return { pieces: parts, length: parts.reduce((sum, part) => sum + part.length, 0) }
}

/** A settled block: its error is thrown later. */
type Outcome = { block: Block } | { block: undefined; error: unknown }

function outcomeOf(reading: Promise<Block>): Promise<Outcome> {
  return reading.then(
    (block) => ({ block }),
    (error: unknown) => ({ block: undefined, error }),
  )
}

/** Returns the links of a node that overlap a range of the file, in order. */
function linksWithin({ own, links }: TreeNode, offset: number, start: number, end: number): Link[] {
  const overlapping: Link[] = []
  let from = offset + own.length
  for (const { cid, size } of links) {
    if (size > 0 && from < end && from + size > start) overlapping.push(new Link(cid, from, size))
    from += size
  }
  return overlapping
}

/**
 * Decodes the block of a link, whose size must match the claim of its parent.
 * @throws StorageError if the file is broken, or the error of the block's verification
 */
async function readNode(link: Link, block: Block): Promise<TreeNode> {
  try {
    const node = decodeNode(link.cid, block)
    if (!Number.isSafeInteger(node.size) || node.size !== (link.size ?? node.size)) throw broken()
    return node
  } catch (error) {
    await block.verified
    throw error instanceof StorageError ? error : broken()
  }
}

function decodeNode({ code }: CID, block: Block): TreeNode {
  if (code === RAW || code === IDENTITY) return { own: block, size: block.length, links: [] }
  if (code !== DAG_PB) throw broken()
  const file = readFileBlock(bytesOf(block))
  if (!file) throw new StorageError('STORAGE_REFUSED', 'The file is a directory, or no file at all.')
  const { own, links } = file
  const size = links.reduce((sum, { size }) => sum + size, own.length)
  return { own: { pieces: [own], length: own.length }, size, links }
}
