import { threadModule } from '@tidegate/common'

/** URL of the thread module that commits batches. */
export function batchWorker(): URL {
  return threadModule(import.meta.url, 'batch-worker', 'state')
}
