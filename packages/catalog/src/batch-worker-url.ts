import { threadModule } from '@tidegate/common'

/** URL of the thread module that commits batches of index and search to the embedded database. */
export function batchWorker(): URL {
  return threadModule(import.meta.url, 'batch-worker', 'catalog')
}
