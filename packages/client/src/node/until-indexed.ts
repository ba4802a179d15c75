import { indexedBlock, patiently, seenOf } from '../chain/moment.js'
import type { Context } from '../context.js'
import { NODE_LIMITS } from '../limits.js'

/**
 * Waits until the provider's index has read the last transaction of this client, so that other programs start from it.
 * Returns whether it has; false at once if the provider does not tell how far its index is.
 *
 * @example
 * await buy(context, did)
 * await untilIndexed(context, chainId)
 */
export async function untilIndexed(context: Context, chainId: number): Promise<boolean> {
  const [last = 0] = seenOf(await context.chain(chainId), chainId).mined
  const reached = await patiently(NODE_LIMITS.indexed, async () => {
    const block = await indexedBlock(context, chainId)
    if (block === undefined) return { isTold: false }
    return block >= last ? { isTold: true } : undefined
  })
  return reached?.isTold === true
}
