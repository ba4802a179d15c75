import { threadModule } from '@tidegate/common'

/** The module that the threads of the service's sandbox run. */
export function taskWorker(): URL {
  return threadModule(import.meta.url, 'worker', 'tasks')
}
