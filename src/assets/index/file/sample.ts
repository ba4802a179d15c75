import { createHash } from 'node:crypto'
import { BOUNDS } from '../../../bounds.js'
import type { Part } from './compare.js'
import type { FileRow } from './rows.js'

/**
 * The positions of `size` NFTs out of `count`, in ascending order and without bias: the same seed gives the same ones. All
 * of them where `size` is not smaller.
 */
export function positionsOf(count: number, size: number, seed: number): Set<number> | 'all' {
  if (size >= count) return 'all'
  const chosen = new Set<number>()
  for (let draw = 0; chosen.size < size; draw++) {
    const digest = createHash('sha256').update(`${seed} ${draw}`).digest()
    // 48 bits of a digest modulo a count far below that
    chosen.add(digest.readUIntBE(0, 6) % count)
  }
  return chosen
}

/** Picks NFTs with what belongs to them from the rows of a file, in parts of a size that can be compared at once. */
export class Sample {
  /** NFTs in the sample so far. */
  size = 0
  private at = -1
  private isChosen = false
  private part: Part | undefined

  constructor(private readonly positions: ReturnType<typeof positionsOf>) {}

  /** Takes the next row. Returns a part that is complete. */
  add({ row, size }: Pick<FileRow, 'row' | 'size'>): Part | undefined {
    let done: Part | undefined
    if (row.kind === 'nft') {
      done = this.end()
      this.at += 1
      this.isChosen = this.positions === 'all' || this.positions.has(this.at)
      if (!this.isChosen) return done
      this.size += 1
      this.part = { nft: row.nft, datatokens: [], size, rest: {} }
      return done
    }
    const part = this.part
    if (!part) return undefined
    if (row.kind === 'asset') {
      part.size += size
      // no node gives its events, or the database did not take the last one
      if (row.metadata.reason !== null) part.rest = undefined
      else part.rest = { asset: row.metadata }
    } else {
      if (part.datatokens.length === BOUNDS.indexFile.datatokens || part.size >= BOUNDS.indexFile.bytes) {
        this.part = { nft: part.nft, datatokens: [], size: 0, rest: {} }
        done = { nft: part.nft, datatokens: part.datatokens, size: part.size }
      }
      const next = this.part ?? part
      next.datatokens.push(row.datatoken)
      next.size += size
    }
    return done
  }

  /** The last part. */
  end(): Part | undefined {
    const { part } = this
    this.part = undefined
    return part
  }
}
