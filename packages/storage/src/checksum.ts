import { createHash } from 'node:crypto'
import { ProviderError } from '@tidegate/protocol'
import { costMeter } from './cost-meter.js'
import { discard } from './egress/egress.js'
import type { RequestContext, StoredFile } from './storage.js'
import { isStorageFailure } from './storage-failures.js'

export interface Checksum {
  /** SHA-256 of the whole file, in hex. */
  checksum: string
  /** Bytes, counted while reading. */
  length: number
}

/**
 * Computes the SHA-256 of a file. Undefined if the file has `limit` bytes or more, or cannot be read to its end. Calls `spend`
 * with the cost in bytes as they arrive. Throws StorageError STORAGE_BUSY.
 */
export async function checksumOf(
  file: StoredFile,
  limit: number,
  spend: (bytes: number) => void,
  context: RequestContext,
): Promise<Checksum | undefined> {
  const hash = createHash('sha256')
  const { fetched, delivered } = costMeter(spend)
  let length = 0
  try {
    const { body, status } = await file.open({ method: 'GET', headers: {}, ...context, fetched })
    try {
      if (status !== 200) return undefined
      for await (const chunk of body as AsyncIterable<Buffer>) {
        length += chunk.length
        delivered(chunk.length)
        if (length >= limit) return undefined
        hash.update(chunk)
      }
    } finally {
      discard(body)
    }
  } catch (error) {
    if (error instanceof ProviderError ? !isStorageFailure(error) : (error as { code?: unknown }).code === undefined)
      throw error
    return undefined
  }
  return { checksum: hash.digest('hex'), length }
}
