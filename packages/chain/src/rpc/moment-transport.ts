import { type EIP1193RequestFn, numberToHex, type Transport } from 'viem'
import { BehindError } from '../time/behind-error.js'
import type { Moments } from './moments.js'

type Request = (call: { method: string; params?: unknown }, ...rest: unknown[]) => Promise<unknown>

/**
 * Returns a transport that records the blocks which a node shows. Requests for its head reject with BehindError if the
 * head is older than a former one, or if the node does not have its block.
 */
export function momentTransport(transport: Transport, moments: Moments): Transport {
  return (options) => {
    const inner = transport(options)
    const send = inner.request as Request
    const request: Request = async (call, ...rest) => {
      const known = moments.highest
      const result = await send(call, ...rest)
      const shown = shownBy(call, result)
      if (shown === undefined) return result
      if (!shown.isHead) moments.gave(shown.block)
      else {
        const isNumber = call.method === 'eth_blockNumber'
        if (isNumber && moments.isLeap(shown.block)) {
          const params = [numberToHex(shown.block), false]
          // a failure proves nothing
          const block = await send({ method: 'eth_getBlockByNumber', params }, ...rest).catch(() => undefined)
          if (block === null) {
            moments.refuted()
            throw new BehindError()
          }
        }
        moments.head(shown.block, known)
        // a block of its own proves nothing about the number that it names
        if (isNumber) moments.confirmed()
      }
      return result
    }
    return { ...inner, request: request as EIP1193RequestFn }
  }
}

/** Returns the block that a valid answer shows, and whether that is the node's head; undefined if it shows none. */
function shownBy({ method, params }: { method: string; params?: unknown }, result: unknown) {
  if (method === 'eth_blockNumber') return { block: Number(result), isHead: true }
  if (result === null) return undefined
  const { number, blockNumber } = Object(result) as { number?: unknown; blockNumber?: unknown }
  if (method === 'eth_getTransactionReceipt') return { block: Number(blockNumber), isHead: false }
  if (method !== 'eth_getBlockByNumber' && method !== 'eth_getBlockByHash') return undefined
  const tag = (params as unknown[] | undefined)?.[0]
  return tag === 'pending' ? undefined : { block: Number(number), isHead: tag === 'latest' }
}
