import type { Cancellation } from './cancellation.js'

/** Settles like the promise. Rejects with the signal's reason if the signal aborts first. The work itself continues. */
export function abortable<T>(work: Promise<T>, signal: Cancellation): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
