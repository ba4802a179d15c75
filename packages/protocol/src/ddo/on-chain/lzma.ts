import type lzma from 'lzma-purejs'
import xz from 'xz-decompress'
import { LZMA } from '../../constants.js'
import { PROTOCOL_LIMITS } from '../../limits.js'

const XZ_MAGIC = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00])

/** Reason of a document above the size limit. */
export const TOO_LARGE = 'larger than MAX_DDO_SIZE'

/** Reason of a document above the limit of its growth. */
export const INFLATED = 'inflates more than MAX_DDO_INFLATION times'

/**
 * Decompresses an .xz or .lzma document, by its magic bytes. Stops when the output exceeds `maxSize` bytes, or
 * `maxInflation` times the input (except for short output). Allocates memory only for that, whatever the input declares.
 * Throws an Error with the reason.
 */
export async function decompress(
  data: Uint8Array,
  maxSize: number,
  maxInflation = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const most = Math.max(PROTOCOL_LIMITS.document.inflated, maxInflation * data.length)
  return most < maxSize ? limited(data, most, INFLATED) : limited(data, maxSize, TOO_LARGE)
}

async function limited(data: Uint8Array, maxSize: number, reason: string): Promise<Uint8Array> {
  const isXz = XZ_MAGIC.equals(data.subarray(0, XZ_MAGIC.length))
  // on demand: only compressed documents need it, and each thread would load it at its start
  const library = isXz ? undefined : (await import('lzma-purejs')).default
  try {
    return library ? fromLzma(library, data, maxSize) : await fromXz(data, maxSize)
  } catch (error) {
    if (error instanceof TooLarge) throw new Error(reason)
    throw new Error('cannot be decompressed')
  }
}

class TooLarge extends Error {}

/** The library refuses dictionaries above 64 MiB per block, and untouched memory costs nothing. */
async function fromXz(data: Uint8Array, maxSize: number): Promise<Uint8Array> {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(data)
      controller.close()
    },
  })
  const output = new Output(maxSize)
  const plain = new xz.XzReadableStream(source) as unknown as AsyncIterable<Uint8Array>
  for await (const chunk of plain) output.write(chunk)
  return output.bytes
}

/** Properties, dictionary size, uncompressed size: 1, 4 and 8 bytes, little-endian. */
const LZMA_HEADER = 13
/** Maximum of literal context bits and position bits together in liblzma, the usual compressor. */
const MAX_LITERAL_BITS = 4

function fromLzma(library: typeof lzma, data: Uint8Array, maxSize: number): Uint8Array {
  const { header, size } = readHeader(data, maxSize)
  const output = new Output(maxSize)
  let position = 0
  const input = {
    readByte() {
      const byte = position < header.length ? header[position] : data[position]
      if (byte === undefined) throw new Error('ends early')
      position += 1
      return byte
    },
  }
  library.decompressFile(input, { writeByte: (byte) => output.push(byte), flush: () => undefined })
  if (size !== undefined && output.bytes.length !== size) throw new Error('has another size')
  return output.bytes
}

/** Clamps the declared dictionary to the possible output, since the library allocates the declared size. */
function readHeader(data: Uint8Array, maxSize: number): { header: Uint8Array; size: number | undefined } {
  if (data.length < LZMA_HEADER) throw new Error('ends early')
  const header = Uint8Array.from(data.subarray(0, LZMA_HEADER))
  const view = new DataView(header.buffer)
  const properties = view.getUint8(0)
  const [literalContext, literalPosition, position] = [
    properties % 9,
    Math.floor(properties / 9) % 5,
    Math.floor(properties / 45),
  ]
  if (position > 4 || literalContext + literalPosition > MAX_LITERAL_BITS) throw new Error('has impossible properties')
  const declared = view.getBigUint64(5, true)
  if (declared !== LZMA.unknownSize && declared > maxSize) throw new TooLarge()
  const size = declared === LZMA.unknownSize ? undefined : Number(declared)
  const needed = Math.max(size ?? maxSize, LZMA.minDictionary)
  view.setUint32(1, Math.min(view.getUint32(1, true), needed), true)
  return { header, size }
}

/** A growing output buffer with a limit. */
class Output {
  private buffer: Uint8Array
  private length = 0

  constructor(private readonly maxSize: number) {
    this.buffer = new Uint8Array(Math.min(maxSize, PROTOCOL_LIMITS.document.firstBuffer))
  }

  get bytes(): Uint8Array {
    return this.buffer.subarray(0, this.length)
  }

  push(byte: number): void {
    this.reserve(1)
    this.buffer[this.length++] = byte
  }

  write(chunk: Uint8Array): void {
    this.reserve(chunk.length)
    this.buffer.set(chunk, this.length)
    this.length += chunk.length
  }

  private reserve(count: number): void {
    const needed = this.length + count
    if (needed > this.maxSize) throw new TooLarge()
    if (needed <= this.buffer.length) return
    const larger = new Uint8Array(Math.min(this.maxSize, Math.max(needed, 2 * this.buffer.length)))
    larger.set(this.buffer)
    this.buffer = larger
  }
}
