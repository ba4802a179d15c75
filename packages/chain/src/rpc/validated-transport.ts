import type { EIP1193RequestFn, Transport } from 'viem'
import { type OrderedResult, orderedResult } from './ordered-results.js'
import { RESPONSE_CHECKS } from './response-checks.js'

/** A response of a node does not fit its request. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse'
  /** `field`: the invalid field, as a fixed text, never a value of the response. */
  constructor(
    readonly method: string,
    readonly field: string,
  ) {
    super(`The node's response to ${method} has an invalid ${field}.`)
  }
}

/**
 * Returns a transport that validates every response. Its requests reject with MalformedResponse. `onRepeated` gets the
 * number of repeated logs that were dropped from a response.
 */
export function validatedTransport(transport: Transport, onRepeated?: (logs: number) => void): Transport {
  return (options) => {
    const inner = transport(options)
    const request = async (call: { method: string; params?: unknown }, ...rest: unknown[]) => {
      const result = await (inner.request as (...args: unknown[]) => Promise<unknown>)(call, ...rest)
      const valid = validateResponse(call.method, call.params, result)
      if (valid.repeated > 0) onRepeated?.(valid.repeated)
      return valid.result
    }
    return { ...inner, request: request as EIP1193RequestFn }
  }
}

/**
 * Returns a result with its logs in chain order and each once. Accepts methods that the service never calls.
 * @throws MalformedResponse if the result does not fit its request, or contradicts itself
 */
export function validateResponse(method: string, params: unknown, result: unknown): OrderedResult {
  const field = RESPONSE_CHECKS[method]?.(result, Array.isArray(params) ? params : [])
  if (field !== undefined) throw new MalformedResponse(method, field)
  const ordered = orderedResult(method, result)
  if (typeof ordered === 'string') throw new MalformedResponse(method, ordered)
  return ordered
}
