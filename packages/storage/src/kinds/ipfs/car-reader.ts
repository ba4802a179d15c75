import type { Readable } from 'node:stream'
import { STORAGE_LIMITS } from '../../limits.js'
import { type BlockHasher, cidParts } from './blocks.js'
import { BodyChunks } from './body-chunks.js'

/** The head of a section. Its block follows. */
export interface Section {
  /** The claimed multihash of the block. */
  multihash: Uint8Array
  length: number
}

/** Maximum bytes of a section head: a length of at most eight bytes, and a CID. */
const HEAD = 8 + 128

/** Pieces of a block from which short ones are joined by a copy. */
const SCATTERED = 16
const SHORT = STORAGE_LIMITS.ipfs.piece

/**
 * Reads a CAR (version 1) as it arrives, section by section. Limits lengths before it allocates memory. The caller verifies
 * blocks. Methods throw an Error if the CAR is malformed or ends within a section, or the error of the body.
 */
export class CarReader {
  private readonly chunks: BodyChunks
  private chunk: Buffer = Buffer.alloc(0)

  constructor(body: Readable) {
    this.chunks = new BodyChunks(body)
  }

  /** Skips the header: clients should ignore the roots, and another version has no well-formed sections. */
  async header(): Promise<void> {
    const head = await this.peek(HEAD)
    const { value: length, size } = varint(head)
    if (length === 0 || length > STORAGE_LIMITS.ipfs.carHeader) throw new Error('not a header')
    await this.skip(size + length)
  }

  /** Reads the head of the next section. Returns undefined at the end. */
  async section(): Promise<Section | undefined> {
    const head = await this.peek(HEAD)
    if (head.length === 0) return undefined
    const { value, size } = varint(head)
    const { multihash, length } = cidParts(head.subarray(size))
    if (value < length) throw new Error('a section that is shorter than its CID')
    this.chunk = this.chunk.subarray(size + length)
    return { multihash, length: value - length }
  }

  /**
   * Reads the block of a section in pieces as they arrive, and hashes each piece. Joins short pieces by a copy, since they retain
   * more memory than they contain.
   */
  async read(length: number, hasher: BlockHasher | undefined): Promise<Uint8Array[]> {
    const pieces: Buffer[] = []
    let whole = length < STORAGE_LIMITS.ipfs.copied ? Buffer.allocUnsafeSlow(length) : undefined
    for (let at = 0; at < length; ) {
      if (this.chunk.length === 0 && !this.hasMore() && !(await this.more())) throw new Error('cut off')
      const piece = this.chunk.subarray(0, length - at)
      this.chunk = this.chunk.subarray(piece.length)
      hasher?.update(piece)
      if (whole) piece.copy(whole, at)
      else pieces.push(piece)
      at += piece.length
      if (whole || pieces.length < SCATTERED || at >= pieces.length * SHORT) continue
      whole = Buffer.allocUnsafeSlow(length)
      for (let copied = 0; pieces.length > 0; ) copied += (pieces.shift() as Buffer).copy(whole, copied)
    }
    return whole ? [whole] : pieces
  }

  async skip(length: number): Promise<void> {
    let left = length
    while (left > 0) {
      if (this.chunk.length === 0 && !this.hasMore() && !(await this.more())) throw new Error('cut off')
      const skipped = Math.min(left, this.chunk.length)
      this.chunk = this.chunk.subarray(skipped)
      left -= skipped
    }
  }

  /** Returns the next bytes without consuming them: `length` of them, or fewer at the end. */
  private async peek(length: number): Promise<Buffer> {
    while (this.chunk.length < length && (this.hasMore() || (await this.more())));
    return this.chunk.subarray(0, length)
  }

  /** Takes more bytes if they have arrived. Cheaper than `more`, which awaits. */
  private hasMore(): boolean {
    return this.append(this.chunks.take())
  }

  /** Waits for more bytes. Returns false at the end. */
  private async more(): Promise<boolean> {
    return this.append(await this.chunks.next())
  }

  private append(chunk: Buffer | undefined): boolean {
    if (!chunk) return false
    this.chunk = this.chunk.length === 0 ? chunk : Buffer.concat([this.chunk, chunk])
    return true
  }
}

/** Reads the varint that bytes begin with. */
function varint(bytes: Uint8Array): { value: number; size: number } {
  let value = 0
  for (let at = 0; at < 8; at++) {
    const byte = bytes[at]
    if (byte === undefined) break
    value += (byte & 127) * 2 ** (7 * at)
    if (byte < 128 && Number.isSafeInteger(value)) return { value, size: at + 1 }
  }
  throw new Error('not a varint')
}
