import { threadModule } from '../process/thread-module.js'

/** The worker module of documents. */
export function documentWorker(): URL {
  return threadModule(import.meta.url, 'worker', 'sandbox')
}
