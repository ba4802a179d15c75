import lzma from 'lzma-purejs'
import xz from 'xz-decompress'

const XZ_MAGIC = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00])

/**
 * Decompresses a document in the .xz or the older .lzma container, whichever its first bytes say. Stops as soon as
 * the output passes `maxSize` bytes, so that a small input cannot fill the memory. Throws an Error with the reason.
 */
export async function decompress(data: Uint8Array, maxSize: number): Promise<Uint8Array> {
  try {
    return XZ_MAGIC.equals(data.subarray(0, XZ_MAGIC.length)) ? await fromXz(data, maxSize) : fromLzma(data, maxSize)
  } catch (error) {
    if (error instanceof TooLarge) throw error
    throw new Error('cannot be decompressed')
  }
}

class TooLarge extends Error {
  constructor() {
    super('larger than MAX_DDO_SIZE')
  }
}

async function fromXz(data: Uint8Array, maxSize: number): Promise<Uint8Array> {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(data)
      controller.close()
    },
  })
  const chunks: Uint8Array[] = []
  let size = 0
  const plain = new xz.XzReadableStream(source) as unknown as AsyncIterable<Uint8Array>
  for await (const chunk of plain) {
    size += chunk.length
    if (size > maxSize) throw new TooLarge()
    chunks.push(chunk.slice()) // the decoder reuses its buffer
  }
  return Buffer.concat(chunks)
}

function fromLzma(data: Uint8Array, maxSize: number): Uint8Array {
  const bytes: number[] = []
  let position = 0
  const input = {
    readByte() {
      if (position >= data.length) throw new Error('ends early')
      return data[position++] as number
    },
  }
  const output = {
    writeByte(byte: number) {
      if (bytes.length >= maxSize) throw new TooLarge()
      bytes.push(byte & 0xff)
    },
    flush: () => undefined,
  }
  lzma.decompressFile(input, output)
  return Buffer.from(bytes)
}
