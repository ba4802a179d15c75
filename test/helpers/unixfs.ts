import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'

export const DAG_PB = 0x70
export const RAW = 0x55

/** A block that another one names, and the size that is said of it. */
export type Link = readonly [cid: CID, size: number]

/** A field of a protocol buffer: a number, or bytes. */
export function field(number: number, value: number | Uint8Array): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)])
  return Buffer.concat([varint((number << 3) | 2), varint(value.length), value])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left])
    bytes.push((left % 128) | 128)
  }
}

/** A block of a file that consists of others; each size is what the block says of it. `padding` means nothing. */
export function tree(links: readonly Link[], padding = 0): Buffer {
  const sizes = links.map(([, size]) => field(4, size))
  const data = Buffer.concat([field(1, 2), ...sizes, ...(padding ? [field(100, Buffer.alloc(padding))] : [])])
  const linked = links.map(([cid]) => field(2, Buffer.concat([field(1, cid.bytes), field(2, Buffer.alloc(0))])))
  return Buffer.concat([...linked, field(1, data)])
}

/** A block of a file with bytes of its own, and padding that means nothing. */
export function leaf(bytes: Uint8Array, padding: number): Buffer {
  return field(
    1,
    Buffer.concat([field(1, 2), field(2, bytes), field(3, bytes.length), field(100, Buffer.alloc(padding))]),
  )
}

export function cidOf(block: Uint8Array, codec = DAG_PB): CID {
  return CID.createV1(codec, Digest.create(0x12, createHash('sha256').update(block).digest()))
}
