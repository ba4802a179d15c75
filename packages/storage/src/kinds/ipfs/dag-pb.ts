import { STORAGE_LIMITS } from '../../limits.js'

/** A decoded block of a file: inline bytes, then links to further blocks. */
export interface FileBlock {
  own: Uint8Array
  /** Unparsed CIDs with the claimed file bytes below each link. */
  links: { cid: Uint8Array; size: number }[]
}

/** UnixFS types of files: raw and file. */
const FILES = new Set([0, 2])

/** Called with a protobuf field: its number, and its numeric value or its bytes. */
type Visit = (field: number, value: number, bytes: Uint8Array | undefined) => void

/**
 * Decodes a dag-pb block of a file. Own code, since a library creates objects for tens of thousands of links and blocks the event
 * loop. Returns undefined if the block is not a file. Throws an Error if it is malformed.
 */
export function readFileBlock(block: Uint8Array): FileBlock | undefined {
  const cids: Uint8Array[] = []
  let data: Uint8Array | undefined
  visit(block, (field, _value, bytes) => {
    if (!bytes || field > 2) throw new Error('not a dag-pb block')
    if (cids.length > STORAGE_LIMITS.ipfs.links) throw new Error('too many links')
    if (field === 2) cids.push(cidIn(bytes))
    else if (data) throw new Error('duplicate data field')
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
    else if (field === 4 && !bytes && sizes.push(value) > cids.length) throw new Error('a size without a link')
  })
  if (type === undefined) throw new Error('no UnixFS')
  if (!FILES.has(type)) return undefined
  if (sizes.length !== cids.length) throw new Error('a link without a size')
  return { own: own ?? new Uint8Array(), links: cids.map((cid, index) => ({ cid, size: sizes[index] as number })) }
}

/** Visits the fields of a protobuf message in order. */
function visit(buffer: Uint8Array, each: Visit): void {
  let offset = 0
  const varint = (): number => {
    let [value, scale] = [0, 1]
    for (;;) {
      const byte = buffer[offset]
      if (byte === undefined) throw new Error('cut off')
      offset += 1
      value += (byte & 127) * scale
      if (!Number.isSafeInteger(value)) throw new Error('a varint that is too large')
      if (byte < 128) return value
      scale *= 128
    }
  }
  while (offset < buffer.length) {
    const tag = varint()
    const field = Math.floor(tag / 8)
    if (tag % 8 === 0) each(field, varint(), undefined)
    else {
      const length = tag % 8 === 2 ? varint() : tag % 8 === 1 ? 8 : tag % 8 === 5 ? 4 : Number.NaN
      if (!(offset + length <= buffer.length)) throw new Error('cut off')
      each(field, Number.NaN, buffer.subarray(offset, offset + length))
      offset += length
    }
  }
}
