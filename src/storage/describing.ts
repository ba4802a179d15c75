import { BOUNDS } from '../bounds.js'
import { checksumOf } from './checksum.js'
import type { StoredFile } from './registry.js'
import { Shared } from './shared.js'
import type { Asking, FileDescription } from './storage.js'

/** What is wanted to know of a file. */
export interface Wanted {
  /** A checksum of files with fewer bytes than this; none where it is undefined. */
  checksumBelow: number | undefined
  /** Told the bytes that storages send for it. */
  spend(bytes: number): void
}

/** A description, with the SHA-256 in hex where it was wanted and the file is small enough. */
export interface DescribedFile extends FileDescription {
  checksum?: string
}

/** Asks the storage of a file. Throws StorageError STORAGE_BUSY alone. */
export async function describeFile(file: StoredFile, { checksumBelow, spend }: Wanted, asking: Asking) {
  const described: DescribedFile = await file.describe({ ...asking, fetched: spend })
  const { valid, contentLength } = described
  if (!valid || checksumBelow === undefined || (contentLength ?? 0) >= checksumBelow) return described
  const sum = await checksumOf(file, checksumBelow, spend, asking)
  return sum ? { ...described, contentLength: contentLength ?? sum.length, checksum: sum.checksum } : described
}

/** A file of a published service. */
export interface PublishedFile {
  did: string
  serviceId: string
  index: number
  /** The encrypted file list that it is from: another one makes what is known of the file stale. */
  files: string
  file: StoredFile
}

/**
 * Descriptions of published files, which anybody may ask for without an order: so nothing of the publisher's is run,
 * no value of the caller reaches the storage, and what was found out is given again for a while (threat 50).
 */
export class PublishedDescriptions {
  private readonly shared = new Shared<DescribedFile>({
    max: BOUNDS.describing.kept,
    maxSize: BOUNDS.describing.size,
    timeToLive: ({ valid }) => (valid ? BOUNDS.describing.timeToLive : BOUNDS.describing.failureTimeToLive),
  })

  /** As describeFile. Rejects with the signal's reason where that fires first. */
  async of({ did, serviceId, index, files, file }: PublishedFile, wanted: Wanted, signal: AbortSignal) {
    const outline = file.outline()
    if (outline) return outline as DescribedFile
    const key = JSON.stringify([did, serviceId, index, wanted.checksumBelow])
    const ask = (whole: AbortSignal) => describeFile(file, wanted, { signal: whole, budget: 'anonymous' })
    return this.shared.get(key, files, ask, signal)
  }
}
