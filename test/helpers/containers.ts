import { crc32 } from 'node:zlib'
import lzma from 'lzma-purejs'

type Compress = (input: Uint8Array, output: { writeByte(byte: number): void }, level?: number) => void

/** Bytes as an .lzma container with its size in the header. */
export function lzmaOf(plain: Uint8Array, level = 1): Buffer {
  const bytes: number[] = []
  const { compressFile } = lzma as unknown as { compressFile: Compress }
  compressFile(plain, { writeByte: (byte) => bytes.push(byte & 0xff) }, level)
  return Buffer.from(bytes)
}

/** An .lzma container with a changed header: properties, dictionary size, content size. */
export function withLzmaHeader(
  container: Uint8Array,
  { properties, dictionary, size }: { properties?: number; dictionary?: number; size?: bigint },
): Buffer {
  const changed = Buffer.from(container)
  if (properties !== undefined) changed.writeUInt8(properties, 0)
  if (dictionary !== undefined) changed.writeUInt32LE(dictionary, 1)
  if (size !== undefined) changed.writeBigUInt64LE(size, 5)
  return changed
}

/** The codes of dictionaries of 4 KiB, of 64 MiB, which the strongest preset uses, and of 4 GiB. */
export const DICTIONARIES = { small: 0, preset9: 28, largest: 40 }

/**
 * Bytes as an uncompressed .xz container: one stream with a block for each dictionary code, all but the last empty.
 * Built by hand, since no installed library writes the format.
 */
export function xzOf(plain: Uint8Array, ...dictionaries: number[]): Buffer {
  return stream(
    dictionaries.map((dictionary, at) => {
      const part = at === dictionaries.length - 1 ? plain : new Uint8Array()
      return block(part, stored(part), dictionary)
    }),
  )
}

/** A text that many containers end with, compressed once. */
export interface CompressedEnd {
  plain: Buffer
  /** Its chunk of an .xz block. */
  chunk: Buffer
}

/** Compresses the end of texts for `xzWithEnd`, of at most 2 MiB. */
export function compressedEnd(text: string): CompressedEnd {
  const plain = Buffer.from(text)
  // the library is wrong about long repetitions at levels 1 and 3
  const container = lzmaOf(plain, 5)
  const [properties, content] = [container.subarray(0, 1), container.subarray(13)]
  const [size, packed] = [plain.length - 1, content.length - 1]
  const header = [0xc0 | (size >> 16), (size >> 8) & 0xff, size & 0xff, packed >> 8, packed & 0xff]
  return { plain, chunk: Buffer.concat([Buffer.from(header), properties, content]) }
}

/**
 * A text as an .xz container, its beginning stored and its end compressed. The beginning must end with a control character,
 * and its length be a multiple of 16: on both depends what the compressor assumes of the bytes before.
 */
export function xzWithEnd(beginning: string, { plain, chunk }: CompressedEnd): Buffer {
  const bytes = Buffer.from(beginning)
  const data = Buffer.concat([...stored(bytes), chunk])
  return stream([block(Buffer.concat([bytes, plain]), [data], DICTIONARIES.preset9)])
}

function stream(blocks: { bytes: Buffer; unpadded: number; size: number }[]): Buffer {
  const flags = Buffer.from([0, 1]) // CRC-32 of the content
  const index = padded(
    Buffer.concat([
      Buffer.from([0, ...varint(blocks.length)]),
      ...blocks.map(({ unpadded, size }) => Buffer.from([...varint(unpadded), ...varint(size)])),
    ]),
  )
  const footer = Buffer.concat([u32(index.length / 4), flags])
  return Buffer.concat([
    Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]),
    flags,
    u32(crc32(flags)),
    ...blocks.map(({ bytes }) => bytes),
    index,
    u32(crc32(index)),
    u32(crc32(footer)),
    footer,
    Buffer.from('YZ'),
  ])
}

const CHUNK = 65_536

/** The chunks of bytes that are not compressed. */
function stored(plain: Uint8Array): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < plain.length; at += CHUNK) {
    const chunk = plain.subarray(at, at + CHUNK)
    const [high, low] = [(chunk.length - 1) >> 8, (chunk.length - 1) & 0xff]
    chunks.push(Buffer.from([at === 0 ? 1 : 2, high, low]), Buffer.from(chunk))
  }
  return chunks
}

function block(plain: Uint8Array, chunks: Buffer[], dictionary: number) {
  const filter = Buffer.from([2, 0, 0x21, 1, dictionary, 0, 0, 0])
  const data = Buffer.concat([...chunks, Buffer.from([0])])
  const bytes = Buffer.concat([filter, u32(crc32(filter)), padded(data), u32(crc32(plain))])
  return { bytes, unpadded: filter.length + 4 + data.length + 4, size: plain.length }
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}
