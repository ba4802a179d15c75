import { checksumOf } from './checksum.js'
import { STORAGE_LIMITS } from './limits.js'
import { SingleFlight, type Waiter } from './single-flight.js'
import type { FileDescription, RequestContext, StoredFile } from './storage.js'

export interface DescribeOptions {
  /** Adds a checksum to files with fewer bytes than this; undefined: never. */
  checksumBelow: number | undefined
  /** Called with the number of bytes received from storages. */
  spend(bytes: number): void
}

/** A description, with the SHA-256 in hex if it is requested and the file is small enough. */
export interface DescribedFile extends FileDescription {
  checksum?: string
}

/** Requests a file's description from its storage. Throws only StorageError STORAGE_BUSY. */
export async function describeFile(
  file: StoredFile,
  { checksumBelow, spend }: DescribeOptions,
  context: RequestContext,
) {
  const described: DescribedFile = await file.describe({ ...context, fetched: spend })
  const { valid, contentLength } = described
  if (!valid || checksumBelow === undefined || (contentLength ?? 0) >= checksumBelow) return described
  const summed = await checksumOf(file, checksumBelow, spend, context)
  return summed ? { ...described, contentLength: contentLength ?? summed.length, checksum: summed.checksum } : described
}

/** Describes items, a few concurrently. Rejects with the first error and then describes no further items. */
export async function inBatches<T, R>(items: readonly T[], describe: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const { inFlight } = STORAGE_LIMITS.describing
  for (let at = 0; at < items.length; at += inFlight)
    results.push(...(await Promise.all(items.slice(at, at + inFlight).map(describe))))
  return results
}

export interface PublishedFile {
  did: string
  serviceId: string
  index: number
  /** The encrypted file list of the service. A new list makes cached descriptions stale. */
  files: string
  file: StoredFile
}

/**
 * Public descriptions of published files, for requests without an order. So no request of the publisher is executed, no value
 * of the caller reaches the storage, and descriptions are cached for a while (threat 50).
 */
export class PublishedDescriptions {
  private readonly cache = new SingleFlight<DescribedFile>({
    max: STORAGE_LIMITS.describing.cacheEntries,
    maxSize: STORAGE_LIMITS.describing.cacheSize,
    timeToLive: ({ valid }) =>
      valid ? STORAGE_LIMITS.describing.timeToLive : STORAGE_LIMITS.describing.failureTimeToLive,
  })

  /** Like describeFile, cached and coalesced. Rejects with the reason of the waiter's signal if it fires first. */
  async get({ did, serviceId, index, files, file }: PublishedFile, options: DescribeOptions, waiter: Waiter) {
    const outline = file.outline()
    if (outline) return outline as DescribedFile
    const key = JSON.stringify([did, serviceId, index, options.checksumBelow])
    const load = (shared: AbortSignal) => describeFile(file, options, { signal: shared, budget: 'anonymous' })
    return this.cache.get(key, files, load, waiter)
  }
}
