import { threadModule } from '@tidegate/common'

/** The module of the thread that recovers signers. */
export function recoveryWorker(): URL {
  return threadModule(import.meta.url, 'recovery-worker', 'auth')
}
