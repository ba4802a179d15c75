import type { Blockstore } from 'interface-blockstore'
import { exporter, type UnixFSEntry } from 'ipfs-unixfs-exporter'
import type { CID } from 'multiformats/cid'
import { BOUNDS } from '../bounds.js'
import { StorageError } from '../errors.js'
import type { TrustlessBlocks } from './trustless.js'

/** A part of a file: bytes of its own, and parts behind them. */
interface Part {
  own: Uint8Array
  size: number
  links: { cid: CID; size: number }[]
}

/** A part to come: where it begins in the file, and its block where that was asked for. */
interface Pending {
  cid: CID
  at: number
  size: number
  part?: Promise<Part>
}

/** Codec of blocks that are bytes of a file and nothing else. */
const RAW = 0x55

/** Blocks that are fetched ahead of the reader. */
const READ_AHEAD = 8

/**
 * A file of IPFS, read along its tree. By hand, since the library that decodes each block does not handle what goes
 * wrong further down: a block that is missing or broken there, or a reader who leaves, would end the process.
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
async function part(cid: CID, blocks: TrustlessBlocks, expected?: number): Promise<Part> {
  let entry: UnixFSEntry
  try {
    // a block without structure is the bytes themselves
    const block = await blocks.get(cid, cid.code === RAW ? expected : undefined)
    entry = await exporter(cid, blockstoreOf(block))
  } catch (error) {
    throw error instanceof StorageError ? error : broken()
  }
  const decoded = partOf(entry)
  if (!Number.isSafeInteger(decoded.size) || decoded.size !== (expected ?? decoded.size)) throw broken()
  return decoded
}

/** A store of one block, for the library. */
function blockstoreOf(block: Uint8Array): Pick<Blockstore, 'get'> {
  return {
    async *get() {
      yield block
    },
  }
}

function partOf(entry: UnixFSEntry): Part {
  if (entry.type === 'raw' || entry.type === 'identity') return { own: entry.node, size: entry.node.length, links: [] }
  if (entry.type !== 'file' || !/^(?:file|raw)$/.test(entry.unixfs.type))
    throw new StorageError('STORAGE_REFUSED', 'The file is a directory, or no file at all.')
  const { node, unixfs } = entry
  if (node.Links.length !== unixfs.blockSizes.length) throw broken()
  const own = unixfs.data ?? new Uint8Array()
  const links = node.Links.map(({ Hash }, at) => ({ cid: Hash, size: Number(unixfs.blockSizes[at]) }))
  return { own, size: links.reduce((sum, { size }) => sum + size, own.length), links }
}

function broken(): StorageError {
  return new StorageError('STORAGE_REFUSED', 'The file cannot be read.')
}
