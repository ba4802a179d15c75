import { Readable } from 'node:stream'
import { StorageError } from '@tidegate/protocol'
import { discard } from '../egress/egress.js'
import { BufferedBody } from '../egress/exchange.js'
import { notDelivered } from '../storage-failures.js'

/**
 * Reads a body until `isEnough` returns true for a chunk, or to its end. Returns a body with all bytes. Takes over the source.
 * @throws StorageError if the body breaks earlier
 */
export async function peeked(source: Readable, isEnough: (chunk: Buffer) => boolean): Promise<Readable> {
  if (source instanceof BufferedBody) {
    isEnough(source.bytes)
    return source
  }
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const read: Buffer[] = []
  for (;;) {
    const { done, value } = await chunks.next().catch(failed)
    if (done) break
    read.push(value)
    if (isEnough(value)) break
  }
  const next = async (body: Readable) => {
    const { done, value } = await chunks.next()
    body.push(done ? null : value)
  }
  const body = new Readable({
    read() {
      next(this).catch((error: Error) => this.destroy(error))
    },
    destroy(error, done) {
      discard(source)
      done(error)
    },
  })
  body.on('error', () => undefined) // after its reader has left, an error must not crash the process
  body.push(Buffer.concat(read))
  return body
}

function failed(error: unknown): never {
  if (error instanceof StorageError) throw error
  throw notDelivered()
}
