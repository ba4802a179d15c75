import { useEffect, useRef } from 'preact/hooks'
import { CONSOLE_LIMITS } from '../../limits.js'
import { createStore, useStore } from '../store.js'

/** Whether the browser has a network; the provider may be unreachable nevertheless. */
export const online = createStore(navigator.onLine)

/** Number of times that the network has returned. */
const returns = createStore(0)

export function watchOnline(): void {
  addEventListener('online', () => {
    online.set(true)
    returns.set(returns.get() + 1)
  })
  addEventListener('offline', () => online.set(false))
}

const { online: DELAYS } = CONSOLE_LIMITS.requests

/** Retries a failed or still failing request when the network returns. */
export function useRetryOnReturn(failed: boolean, retry: () => void): void {
  const returned = useStore(returns)
  const seen = useRef(returned)
  const retries = useRef<number>(DELAYS.length)
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
