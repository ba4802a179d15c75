import { threadModule } from '@tidegate/common'

/** URL of the thread module that recovers signers. */
export function recoveryWorker(): URL {
  return threadModule(import.meta.url, 'recovery-worker', 'auth')
}
