import { type Asset, asset } from '@tidegate/client'
import { reading } from './context.js'

/** Milliseconds between two requests, and most requests: indexes wait for confirmations. */
const PAUSE = 1_000
const LOOKS = 60

/** Waits until the index shows a transaction's change. Returns whether it does; otherwise it may follow later. */
export async function takenOver(did: string, isThere: (told: Asset) => boolean, signal: AbortSignal): Promise<boolean> {
  for (let look = 0; look < LOOKS && !signal.aborted; look++) {
    const told = await asset(reading(), did, { signal }).catch(() => undefined)
    if (told && isThere(told)) return true
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
  return false
}
