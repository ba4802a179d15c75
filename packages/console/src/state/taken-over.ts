import { type Asset, asset } from '@tidegate/client'
import { reading } from './context.js'

/** Milliseconds between two looks, and how many there are: indexes wait for confirmations. */
const PAUSE = 1_000
const LOOKS = 60

/** Waits until the index shows what a transaction has changed. Returns whether it does; what it does not show comes later. */
export async function takenOver(did: string, isThere: (told: Asset) => boolean, signal: AbortSignal): Promise<boolean> {
  for (let look = 0; look < LOOKS && !signal.aborted; look++) {
    const told = await asset(reading(), did, { signal }).catch(() => undefined)
    if (told && isThere(told)) return true
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
  return false
}
