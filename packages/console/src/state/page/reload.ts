import { CONSOLE_LIMITS } from '../../limits.js'
import { fetchConfig } from '../config.js'
import { isBusy } from './busy.js'

const { interval: INTERVAL, pause: PAUSE } = CONSOLE_LIMITS.requests.reload
const NAME = 'tidegate.reloaded'

/**
 * Reloads the page once the provider is reachable, unless an upload or download is running. Until a reload, browsers
 * remember that a module failed to load, and an upgrade of the service removes the old modules. Returns a function that ends
 * the attempts.
 */
export function reloadWhenReachable(): () => void {
  if (Date.now() - lastReload() < PAUSE) return () => {}
  const timer = setInterval(async () => {
    if (isBusy() || !(await fetchConfig().catch(() => undefined))) return
    if (!noteReload()) return
    location.reload()
  }, INTERVAL)
  return () => clearInterval(timer)
}

function lastReload(): number {
  try {
    return Number(sessionStorage.getItem(NAME))
  } catch {
    return 0
  }
}

/** Records the reload. Returns whether that was stored: otherwise the reloads could repeat forever. */
function noteReload(): boolean {
  try {
    sessionStorage.setItem(NAME, String(Date.now()))
    return true
  } catch {
    return false
  }
}
