import { fetchConfig } from '../config.js'
import { isBusy } from './busy.js'

/** Milliseconds between two attempts to reach the provider. */
const INTERVAL = 2_000
/** Milliseconds after a reload in which there is no other: what is still missing then is not mended by one. */
const ONCE_IN = 60_000
const NAME = 'tidegate.reloaded'

/**
 * Reloads the page once the provider can be reached, unless an upload or a download would end with it. Browsers remember for
 * as long as a page lives that a module could not be loaded, and after an upgrade of the service the modules of before are
 * gone. Answers what ends it.
 */
export function reloadWhenReachable(): () => void {
  if (Date.now() - lastReload() < ONCE_IN) return () => {}
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

/** Returns whether the reload will be remembered: without that it could be repeated for ever. */
function noteReload(): boolean {
  try {
    sessionStorage.setItem(NAME, String(Date.now()))
    return true
  } catch {
    return false
  }
}
