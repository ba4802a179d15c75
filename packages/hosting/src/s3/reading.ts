import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Deadline } from '@tidegate/common'
import { HOSTING_LIMITS } from '../limits.js'
import type { Bucket } from './bucket.js'
import { S3Error } from './s3-client.js'

/** A range of an object of `size` bytes, both ends inclusive. */
export interface ObjectRange {
  start: number
  end: number
  size: number
}

/**
 * Opens a range of an object. Objects never change, so a broken transfer is resumed. Rejects with S3Error. The signal, or
 * destroying the stream, ends the request in any state.
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
    // only a whole part counts as progress, so that endless breaks end
    if (at - beginning >= HOSTING_LIMITS.hosting.s3Part) failures = 0
    beginning = at
    const backoff = HOSTING_LIMITS.hosting.s3Backoffs[failures++]
    if (backoff === undefined) throw new S3Error(0, 'BrokenOff')
    await sleep(backoff, undefined, { signal })
    body = await bucket.get(key, { start: at, end, size }, signal)
  }
}
