import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Deadline } from '@tidegate/common'
import { HOSTING_LIMITS } from '../limits.js'
import type { Bucket } from './bucket.js'
import { BACKOFFS, S3Error } from './s3-client.js'

/** Bytes of an object, both ends inclusive, of which it has `size` in all. */
export interface ObjectRange {
  start: number
  end: number
  size: number
}

/**
 * Opens bytes of an object, which never changes: where the connection breaks, they are taken up again. Rejects with
 * S3Error. The signal, and destroying the stream, end the request whatever its state.
 */
export async function readObject(
  bucket: Bucket,
  key: string,
  range: ObjectRange,
  signal?: AbortSignal,
): Promise<Readable> {
  const first = await bucket.get(key, range, signal)
  const reading = new Deadline({ parent: signal })
  const stream = Readable.from(chunks(bucket, key, range, first, reading.signal), { objectMode: false })
  return stream.once('close', () => reading.abort())
}

async function* chunks(
  bucket: Bucket,
  key: string,
  { start, end, size }: ObjectRange,
  first: Readable,
  signal: AbortSignal,
) {
  let at = start
  let failures = 0
  let beginning = start
  for (let body = first; ; ) {
    const leave = () => body.destroy()
    signal.addEventListener('abort', leave, { once: true })
    try {
      for await (const chunk of body) {
        at += (chunk as Buffer).length
        yield chunk
      }
      if (at === end + 1) return
    } catch (error) {
      signal.throwIfAborted()
      if (at > end) throw error
    } finally {
      signal.removeEventListener('abort', leave)
      leave()
    }
    // connections that break again and again are no progress
    if (at - beginning >= HOSTING_LIMITS.hosting.s3Part) failures = 0
    beginning = at
    const backoff = BACKOFFS[failures++]
    if (backoff === undefined) throw new S3Error(0, 'BrokenOff')
    await sleep(backoff, undefined, { signal })
    body = await bucket.get(key, { start: at, end, size }, signal)
  }
}
