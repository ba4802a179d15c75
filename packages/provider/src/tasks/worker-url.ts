import { threadModule } from '@tidegate/common'

/** URL of the thread module of the sandbox. */
export function taskWorker(): URL {
  return threadModule(import.meta.url, 'worker', 'tasks')
}
