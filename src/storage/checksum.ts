import { createHash } from 'node:crypto'
import { StorageError } from '../errors.js'
import { discard } from './egress.js'
import type { StoredFile } from './registry.js'
import type { UserData } from './storage.js'

export interface Checksum {
  /** Hex of the SHA-256 of the whole file. */
  checksum: string
  /** Bytes, counted while reading. */
  length: number
}

/** Reads a file and sums it up. Undefined where it has `limit` bytes or more, or cannot be read to its end. */
export async function checksumOf(file: StoredFile, limit: number, userdata?: UserData): Promise<Checksum | undefined> {
  const hash = createHash('sha256')
  let length = 0
  try {
    const { body, status } = await file.open({ method: 'GET', headers: {}, userdata })
    try {
      if (status !== 200) return undefined
      for await (const chunk of body as AsyncIterable<Buffer>) {
        length += chunk.length
        if (length >= limit) return undefined
        hash.update(chunk)
      }
    } finally {
      discard(body)
    }
  } catch (error) {
    if (error instanceof StorageError || (error as { code?: string }).code !== undefined) return undefined
    throw error
  }
  return { checksum: hash.digest('hex'), length }
}
