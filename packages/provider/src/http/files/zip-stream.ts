import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { discard } from '@tidegate/storage'
import { ZIP_FORMAT } from '../../constants.js'
import { dataDescriptor, directoryEnd, directoryEntry, localHeader, storedBlock, type ZipEntry } from './zip-format.js'

const { block: BLOCK } = ZIP_FORMAT

/** A file to archive. */
export interface ZipSource extends Pick<ZipEntry, 'path' | 'modified'> {
  /** Bytes; undefined if unknown. */
  size: number | undefined
  body: Readable
  onBytes(count: number): void
}

/**
 * Returns a ZIP archive that programs can read as a stream. Files are stored in blocks of deflate, whose end such readers find,
 * other than that of stored files whose sizes follow. The stream fails if a file fails or has another size than declared; its
 * destruction discards the file in progress.
 */
export function zipStream(sources: AsyncIterable<ZipSource>): Readable {
  let current: Readable | undefined
  const parts = archive(sources, (body) => {
    current = body
  })
  const stream: Readable = new Readable({
    read() {
      parts.next().then(
        ({ done, value }) => stream.push(done ? null : value),
        (error: Error) => stream.destroy(error),
      )
    },
    destroy(error, callback) {
      if (current) discard(current)
      void parts.return(undefined).catch(() => undefined)
      callback(error)
    },
  })
  return stream
}

async function* archive(
  sources: AsyncIterable<ZipSource>,
  onOpened: (body: Readable) => void,
): AsyncGenerator<Buffer, undefined> {
  const entries: ZipEntry[] = []
  let offset = 0
  for await (const source of sources) {
    onOpened(source.body)
    const { path, modified, size } = source
    const header = localHeader(source, size)
    yield header
    const read = { size: 0, crc: 0 }
    let written = header.length
    for await (const block of blocksOf(source, read)) {
      written += block.length
      yield block
    }
    if (size !== undefined && read.size !== size) throw new Error('unexpected number of bytes')
    const descriptor = dataDescriptor(read)
    yield descriptor
    entries.push({ path, modified, ...read, offset })
    offset += written + descriptor.length
  }
  let directory = 0
  for (const entry of entries) {
    const listed = directoryEntry(entry)
    directory += listed.length
    yield listed
  }
  yield directoryEnd(entries.length, directory, offset)
}

/** Yields a file in stored blocks of deflate, and counts its bytes in `read`. */
async function* blocksOf({ body, onBytes }: ZipSource, read: { size: number; crc: number }): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let length = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    onBytes(chunk.length)
    read.size += chunk.length
    read.crc = crc32(chunk, read.crc)
    waiting.push(chunk)
    length += chunk.length
    if (length < BLOCK) continue
    const all = waiting.length === 1 ? chunk : Buffer.concat(waiting)
    let at = 0
    for (; length - at >= BLOCK; at += BLOCK) yield storedBlock(all.subarray(at, at + BLOCK), false)
    // a copy, since the bytes of a chunk are read into again
    waiting = [Buffer.from(all.subarray(at))]
    length -= at
  }
  yield storedBlock(Buffer.concat(waiting), true)
}
