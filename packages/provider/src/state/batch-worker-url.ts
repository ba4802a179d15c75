import { threadModule } from '@tidegate/common'

/** The module of the thread that commits batches. */
export function batchWorker(): URL {
  return threadModule(import.meta.url, 'batch-worker', 'state')
}
