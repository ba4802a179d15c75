import { inBatches, SingleFlight, STORAGE_LIMITS, type StoredFile } from '@tidegate/storage'
import type { OpenService } from '../../access/service.js'
import { archiveLength } from './archive.js'

const { cacheEntries: max, cacheSize: maxSize, timeToLive, failureTimeToLive } = STORAGE_LIMITS.describing

/** Lengths of archives of hosted files, which never change: each list is described once in a while, however often it is asked for. */
export class ArchiveLengths {
  private readonly cache = new SingleFlight<{ length: number | undefined }>({
    ...{ max, maxSize },
    timeToLive: ({ length }) => (length === undefined ? failureTimeToLive : timeToLive),
  })

  /** Returns the bytes of an archive; undefined if a file is missing. Rejects with StateError, or the signal's reason. */
  async of(
    { asset, service }: Pick<OpenService, 'asset' | 'service'>,
    files: readonly StoredFile[],
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const describe = async (shared: AbortSignal) => {
      const described = await inBatches(files, (file) => file.describe({ signal: shared, budget: 'paid' }))
      return { length: archiveLength(files, described) }
    }
    const key = JSON.stringify([asset.ddo.id, service.id])
    return (await this.cache.get(key, service.files, describe, { signal })).length
  }
}
