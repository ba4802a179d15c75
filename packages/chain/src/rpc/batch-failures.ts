import { HttpRequestError, TimeoutError } from 'viem'
import { retryAfterOf } from './rate-limits.js'

/** Statuses that say that the node, or the account at it, serves no request at all. */
const NOT_FOR_SIZE = new Set([401, 402, 404])
/** Statuses of the request's own fault: a single call would not have it. */
const FOR_FORM = new Set([400, 405, 413, 414, 415, 422, 501])
/**
 * Returns whether a batch may have failed because it is one, so that its calls may succeed one by one: `certain` if nothing
 * else is likely, `perhaps` if the node may be in trouble, `lost` if it sent no answer. Undefined if the node itself fails.
 */
export function batchFailure(error: unknown): 'certain' | 'perhaps' | 'lost' | undefined {
  if (error instanceof TimeoutError) return 'lost'
  if (!(error instanceof HttpRequestError)) return undefined
  const { status, cause } = error
  // a page of HTML, or nothing
  if (status === undefined) return cause instanceof SyntaxError ? 'certain' : 'lost'
  if (status < 400 || NOT_FOR_SIZE.has(status)) return undefined
  return FOR_FORM.has(status) ? 'certain' : 'perhaps'
}

/** Whether a node answered a request with 429. */
export function isRateLimitStatus(error: unknown): error is HttpRequestError {
  return error instanceof HttpRequestError && error.status === 429
}

/** The milliseconds that the answer with an error status names for the next attempt. */
export function retryAfterFrom({ headers }: HttpRequestError): number | undefined {
  return retryAfterOf(headers?.get('retry-after'))
}
