import { CID } from 'multiformats/cid'
import { BOUNDS } from '../bounds.js'
import { StorageError } from '../errors.js'
import { readFileBlock } from './dag-pb.js'
import type { TrustlessBlocks } from './trustless.js'

/** A part of a file: bytes of its own, and parts behind them. */
interface Part {
  own: Uint8Array
  size: number
  /** CIDs in their binary form: there may be tens of thousands, and few are asked for. */
  links: { cid: Uint8Array; size: number }[]
}

/** A part to come: where it begins in the file, and its block where that was asked for. */
interface Pending {
  cid: Uint8Array
  at: number
  size: number
  part?: Promise<Part>
}

/** Codecs of blocks that are bytes of a file and nothing else. */
const RAW = 0x55
const IDENTITY = 0
/** That of blocks with parts. */
const DAG_PB = 0x70

/** Blocks that are fetched ahead of the reader. */
const READ_AHEAD = 8

/**
 * A file of IPFS, read along its tree. By hand, since the library for it does not handle what goes wrong further down: a
 * block that is missing or broken there, or a reader who leaves, would end the process.
 */
export class UnixFile {
  private constructor(
    private readonly root: Part,
    private readonly blocks: TrustlessBlocks,
  ) {}

  /** Throws StorageError. */
  static async open(cid: CID, blocks: TrustlessBlocks): Promise<UnixFile> {
    return new UnixFile(await part(cid, blocks), blocks)
  }

  /** Bytes of the whole file, as its root says. */
  get size(): number {
    return this.root.size
  }

  /**
   * The bytes from `start` up to `end`, which is not among them. Only blocks that hold some of them, or lead there, are
   * fetched. Throws StorageError.
   */
  async *bytes(start: number, end: number): AsyncGenerator<Uint8Array> {
    // what is fetched ahead of the reader
    this.blocks.allow(Math.min(end - start, READ_AHEAD * BOUNDS.ipfs.block))
    // the next one is the last of the list
    const pending: Pending[] = []
    let [now, at]: [Part, number] = [this.root, 0]
    for (;;) {
      const own = now.own.subarray(Math.max(0, start - at), Math.max(0, end - at))
      if (own.length > 0) {
        this.blocks.allow(own.length * BOUNDS.ipfs.factor)
        yield own
      }
      pending.push(...within(now, at, start, end).reverse())
      if (pending.length > BOUNDS.ipfs.pending) throw broken()
      for (const ahead of pending.slice(-READ_AHEAD)) this.fetch(ahead)
      const next = pending.pop()
      if (!next?.part) return
      now = await next.part
      at = next.at
    }
  }

  private fetch(pending: Pending): void {
    if (pending.part) return
    pending.part = part(pending.cid, this.blocks, pending.size)
    pending.part.catch(() => undefined) // of a part that nobody comes to
  }
}

/** The links of a part that lie between two places of the file, in their order. */
function within({ own, links }: Part, at: number, start: number, end: number): Pending[] {
  const found: Pending[] = []
  let from = at + own.length
  for (const { cid, size } of links) {
    if (size > 0 && from < end && from + size > start) found.push({ cid, at: from, size })
    from += size
  }
  return found
}

/** Fetches and decodes a part, which has to be of the size that its parent says. Throws StorageError. */
async function part(named: CID | Uint8Array, blocks: TrustlessBlocks, expected?: number): Promise<Part> {
  let decoded: Part
  try {
    const cid = named instanceof Uint8Array ? CID.decode(named) : named
    // a block without structure is the bytes themselves
    decoded = partOf(cid, await blocks.get(cid, cid.code === RAW ? expected : undefined))
  } catch (error) {
    throw error instanceof StorageError ? error : broken()
  }
  if (!Number.isSafeInteger(decoded.size) || decoded.size !== (expected ?? decoded.size)) throw broken()
  return decoded
}

function partOf({ code }: CID, block: Uint8Array): Part {
  if (code === RAW || code === IDENTITY) return { own: block, size: block.length, links: [] }
  if (code !== DAG_PB) throw broken()
  const file = readFileBlock(block)
  if (!file) throw new StorageError('STORAGE_REFUSED', 'The file is a directory, or no file at all.')
  return { ...file, size: file.links.reduce((sum, { size }) => sum + size, file.own.length) }
}

function broken(): StorageError {
  return new StorageError('STORAGE_REFUSED', 'The file cannot be read.')
}
