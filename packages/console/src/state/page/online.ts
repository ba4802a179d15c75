import { useEffect, useRef } from 'preact/hooks'
import { createStore, useStore } from '../store.js'

/** Whether the browser has a network at all; the provider may still be out of reach. */
export const online = createStore(navigator.onLine)

/** How many times the network has come back. */
const returns = createStore(0)

export function watchOnline(): void {
  addEventListener('online', () => {
    online.set(true)
    returns.set(returns.get() + 1)
  })
  addEventListener('offline', () => online.set(false))
}

/** Delays of the retries after a return of the network, in milliseconds: a browser says "online" before anything can be reached. */
const DELAYS = [0, 1_000, 3_000]

/** Retries what has failed, or fails yet, when the network comes back. */
export function useRetryOnReturn(failed: boolean, retry: () => void): void {
  const returned = useStore(returns)
  const seen = useRef(returned)
  const retries = useRef(DELAYS.length)
  useEffect(() => {
    if (returned !== seen.current) {
      seen.current = returned
      retries.current = 0
    }
    const delay = DELAYS[retries.current]
    if (!failed || delay === undefined) return
    retries.current += 1
    const timer = setTimeout(retry, delay)
    return () => clearTimeout(timer)
  }, [failed, returned])
}
