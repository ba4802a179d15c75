import type { Hex } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { pause } from '../http/retry.js'
import { LIMITS } from '../limits.js'
import { type SalesOptions, salesOf, scopeOf } from './sales.js'
import type { Sale } from './types.js'

export interface FollowOptions extends Omit<SalesOptions, 'until' | 'onProgress'> {
  /** Earliest time of an order. Default: only orders that are read after the first look. */
  since?: Date | undefined
  /** Milliseconds between two looks. Default: 5 seconds. */
  interval?: number | undefined
  /** Called if a look after the first one fails. The next one repeats it. */
  onFailure?: ((error: TidegateError) => void) | undefined
}

const { interval: INTERVAL, assets: ASSETS_INTERVAL, overlap: OVERLAP } = LIMITS.following

/**
 * Yields the orders of a publisher's assets, or of one asset, as the provider's index reads them, oldest first, until the signal aborts.
 * A reorganisation may remove an order that was yielded. Throws like `sales`, if the first look fails.
 *
 * @example
 * for await (const { time, name, total } of tidegate.followSales({ did: 'did:op:…' })) console.log(time, name, total)
 */
export async function* followSales(context: Context, options: FollowOptions = {}): AsyncGenerator<Sale> {
  const { since, interval = INTERVAL, onFailure, signal } = options
  /** The time of each transaction that was yielded or is older. */
  const known = new Map<Hex, number>()
  let scope = await scopeOf(context, options)
  let scopedAt = Date.now()
  /** The beginning of the last look that succeeded. */
  let lookedAt = Date.now()
  for (let isFirst = true; ; isFirst = false) {
    try {
      if (Date.now() - scopedAt > ASSETS_INTERVAL) {
        scope = await scopeOf(context, { ...options, onIncomplete: undefined })
        scopedAt = Date.now()
      }
      const begun = Date.now()
      const from = isFirst && since ? since : new Date(lookedAt - OVERLAP)
      const found: Sale[] = []
      for await (const sale of salesOf(context, scope, { since: from, signal, isKnown: (tx) => known.has(tx) }))
        found.push(sale)
      for (const { tx, time } of found) known.set(tx, time.getTime())
      lookedAt = begun
      for (const [tx, time] of known) if (time < lookedAt - 2 * OVERLAP) known.delete(tx)
      if (!isFirst || since) yield* found.sort((a, b) => a.time.getTime() - b.time.getTime())
    } catch (error) {
      if (isFirst || signal?.aborted || !(error instanceof TidegateError)) throw error
      onFailure?.(error)
    }
    await pause(interval, signal ?? new AbortController().signal)
  }
}
