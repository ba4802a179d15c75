import { createHash } from 'node:crypto'
import { ProviderError } from '../errors.js'
import { discard } from './egress.js'
import { isAnswer } from './http-storage.js'
import type { StoredFile } from './registry.js'
import { spending } from './spending.js'
import type { Asking } from './storage.js'

export interface Checksum {
  /** Hex of the SHA-256 of the whole file. */
  checksum: string
  /** Bytes, counted while reading. */
  length: number
}

/**
 * Reads a file and sums it up. Undefined where it has `limit` bytes or more, or cannot be read to its end. `spend` is
 * told the bytes that it costs, as they come.
 */
export async function checksumOf(
  file: StoredFile,
  limit: number,
  spend: (bytes: number) => void,
  asking: Asking,
): Promise<Checksum | undefined> {
  const hash = createHash('sha256')
  const { fetched, given } = spending(spend)
  let length = 0
  try {
    const { body, status } = await file.open({ method: 'GET', headers: {}, ...asking, fetched })
    try {
      if (status !== 200) return undefined
      for await (const chunk of body as AsyncIterable<Buffer>) {
        length += chunk.length
        given(chunk.length)
        if (length >= limit) return undefined
        hash.update(chunk)
      }
    } finally {
      discard(body)
    }
  } catch (error) {
    if (error instanceof ProviderError ? !isAnswer(error) : (error as { code?: unknown }).code === undefined)
      throw error
    return undefined
  }
  return { checksum: hash.digest('hex'), length }
}
