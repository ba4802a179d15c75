import type { Readable } from 'node:stream'
import { type Cancellation, Deadline } from '@tidegate/common'
import { StorageError } from '@tidegate/protocol'
import { discard } from '../egress/egress.js'
import { STORAGE_LIMITS } from '../limits.js'
import type { FileDescription, OpenedFile } from '../storage.js'
import { notDelivered, timedOut } from '../storage-failures.js'
import { mediaType } from './responses.js'

/**
 * Describes a file by the response to a download and the beginning of its body: a file is valid if it can be downloaded. Takes
 * over the body. `claimedSize` requests the size of a long file that is sent without a length.
 * @throws StorageError if the beginning of the body breaks
 */
export async function describeDelivered(
  { status, headers, name, body }: OpenedFile,
  signal: Cancellation,
  claimedSize: () => Promise<number | undefined> = async () => undefined,
): Promise<FileDescription> {
  if (status !== 200 && status !== 206) {
    discard(body)
    return { valid: false, reason: 'failed', upstreamStatus: status }
  }
  const { sample } = STORAGE_LIMITS.describing
  const announced = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  // for a long file with a length, the first bytes suffice
  const { bytes, ended } = await readBeginning(body, (announced ?? 0) > sample ? 1 : sample, signal)
  let contentLength = ended ? bytes : announced
  if (contentLength === undefined) {
    const claimed = await claimedSize()
    if (claimed !== undefined && claimed >= bytes) contentLength = claimed
  }
  const contentType = mediaType(headers['content-type'])
  return {
    valid: true,
    ...(contentLength === undefined ? {} : { contentLength }),
    ...(contentType ? { contentType } : {}),
    ...(name ? { name } : {}),
  }
}

/** Reads a body until more than `limit` bytes, its end, or a time-out after the first byte. Discards the rest. */
async function readBeginning(body: Readable, limit: number, signal: Cancellation) {
  let bytes = 0
  let patience: Deadline | undefined
  let left = false
  const leave = () => {
    left = true
    discard(body)
  }
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      // not at `limit` itself: the file may end there
      if (bytes > limit) return { bytes, ended: false }
      if (patience || bytes === 0) continue
      patience = new Deadline({ milliseconds: STORAGE_LIMITS.describing.sampleTime, parent: signal })
      patience.signal.addEventListener('abort', leave, { once: true })
    }
    return { bytes, ended: !left }
  } catch (error) {
    if (left) return { bytes, ended: false }
    if (signal.aborted) throw timedOut()
    if (error instanceof StorageError) throw error
    throw notDelivered()
  } finally {
    patience?.release()
    discard(body)
  }
}
