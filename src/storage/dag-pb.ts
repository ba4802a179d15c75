import { BOUNDS } from '../bounds.js'

/** What a block of a file says: bytes of its own, and the blocks behind them. */
export interface FileBlock {
  own: Uint8Array
  /** CIDs in their binary form, not yet read, each with the bytes of the file that are said to lie behind it. */
  links: { cid: Uint8Array; size: number }[]
}

/** Types of UnixFS that are files: bytes, and bytes or a list of parts. */
const FILES = new Set([0, 2])

/** A field of a protocol buffer: its number, and its value where that is a number, or its bytes. */
type Visit = (field: number, value: number, bytes: Uint8Array | undefined) => void

/**
 * Reads a block of codec dag-pb that belongs to a file. By hand, in one pass: a block may name tens of thousands of
 * others, for which a library makes so many objects that it holds the event loop for a second. Answers undefined for
 * what is no file. Throws an error where the block cannot be read.
 */
export function readFileBlock(block: Uint8Array): FileBlock | undefined {
  const cids: Uint8Array[] = []
  let data: Uint8Array | undefined
  visit(block, (field, _value, bytes) => {
    if (!bytes || field > 2) throw new Error('no block of dag-pb')
    if (cids.length > BOUNDS.ipfs.links) throw new Error('too many links')
    if (field === 2) cids.push(cidIn(bytes))
    else if (data) throw new Error('two times data')
    else data = bytes
  })
  if (!data) throw new Error('no data')
  return fileOf(data, cids)
}

function cidIn(link: Uint8Array): Uint8Array {
  let cid: Uint8Array | undefined
  visit(link, (field, _value, bytes) => {
    if (field === 1) cid = bytes
  })
  if (!cid) throw new Error('a link without a CID')
  return cid
}

function fileOf(data: Uint8Array, cids: Uint8Array[]): FileBlock | undefined {
  const sizes: number[] = []
  let own: Uint8Array | undefined
  let type: number | undefined
  visit(data, (field, value, bytes) => {
    if (field === 1) type = value
    else if (field === 2) own = bytes
    else if (field === 4 && !bytes && sizes.push(value) > cids.length) throw new Error('sizes without a link')
  })
  if (type === undefined) throw new Error('no UnixFS')
  if (!FILES.has(type)) return undefined
  if (sizes.length !== cids.length) throw new Error('links without a size')
  return { own: own ?? new Uint8Array(), links: cids.map((cid, at) => ({ cid, size: sizes[at] as number })) }
}

/** Visits the fields of a protocol buffer in their order. */
function visit(buffer: Uint8Array, each: Visit): void {
  let at = 0
  const varint = (): number => {
    let [value, scale] = [0, 1]
    for (;;) {
      const byte = buffer[at]
      if (byte === undefined) throw new Error('cut off')
      at += 1
      value += (byte & 127) * scale
      if (!Number.isSafeInteger(value)) throw new Error('a number that is too large')
      if (byte < 128) return value
      scale *= 128
    }
  }
  while (at < buffer.length) {
    const tag = varint()
    const field = Math.floor(tag / 8)
    if (tag % 8 === 0) each(field, varint(), undefined)
    else {
      const length = tag % 8 === 2 ? varint() : tag % 8 === 1 ? 8 : tag % 8 === 5 ? 4 : Number.NaN
      if (!(at + length <= buffer.length)) throw new Error('cut off')
      each(field, Number.NaN, buffer.subarray(at, at + length))
      at += length
    }
  }
}
