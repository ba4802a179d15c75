import { afterAll, beforeAll } from 'vitest'
import { PURCHASE_LIMITS } from '../../packages/purchases/src/limits.js'

/** Changes limits of purchases for the tests of a file, and restores them afterwards: the next file runs in the same process. */
export function withPurchaseLimits(change: (limits: typeof PURCHASE_LIMITS) => void): void {
  const before = structuredClone(PURCHASE_LIMITS)
  beforeAll(() => change(PURCHASE_LIMITS))
  afterAll(() => restore(PURCHASE_LIMITS, before))
}

function restore(limits: object, before: object): void {
  for (const [name, value] of Object.entries(before)) {
    if (typeof value === 'object') restore((limits as Record<string, object>)[name] as object, value)
    else Object.assign(limits, { [name]: value })
  }
}
