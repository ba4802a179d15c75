import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'

/** The codec of CIDs of inner blocks and files in DAG-PB. */
export const DAG_PB = 0x70
/** The codec of CIDs of blocks that are bytes of a file. */
export const RAW = 0x55

/** A link to a child block, and the size it declares. */
export type Link = readonly [cid: CID, size: number]

/** A Protocol Buffers field: a number, or bytes. */
export function field(number: number, value: number | Uint8Array): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)])
  return Buffer.concat([varint((number << 3) | 2), varint(value.length), value])
}

/** A number as a varint. */
export function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left])
    bytes.push((left % 128) | 128)
  }
}

/** An inner block of a file with links to children of the declared sizes, and meaningless padding. */
export function tree(links: readonly Link[], padding = 0): Buffer {
  const sizes = links.map(([, size]) => field(4, size))
  const data = Buffer.concat([field(1, 2), ...sizes, ...(padding ? [field(100, Buffer.alloc(padding))] : [])])
  const linked = links.map(([cid]) => field(2, Buffer.concat([field(1, cid.bytes), field(2, Buffer.alloc(0))])))
  return Buffer.concat([...linked, field(1, data)])
}

/** A leaf block of a file, with meaningless padding. */
export function leaf(bytes: Uint8Array, padding: number): Buffer {
  return field(
    1,
    Buffer.concat([field(1, 2), field(2, bytes), field(3, bytes.length), field(100, Buffer.alloc(padding))]),
  )
}

/** The CID of a block, with its SHA-256. */
export function cidOf(block: Uint8Array, codec = DAG_PB): CID {
  return CID.createV1(codec, Digest.create(0x12, createHash('sha256').update(block).digest()))
}
