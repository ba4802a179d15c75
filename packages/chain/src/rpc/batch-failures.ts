import { HttpRequestError, TimeoutError } from 'viem'
import { retryAfterOf } from './rate-limits.js'

/** Statuses of a node or account that serves no request at all. */
const NOT_FOR_SIZE = new Set([401, 402, 404])
/** Statuses that blame the form or size of the request. */
const FOR_FORM = new Set([400, 405, 413, 414, 415, 422, 501])

/**
 * Returns whether single calls may succeed after a batch failed: `certain` if the node refuses batches, `perhaps` if it may
 * be in trouble, `lost` if it sent no answer. Undefined if the node itself fails.
 */
export function batchFailure(error: unknown): 'certain' | 'perhaps' | 'lost' | undefined {
  if (error instanceof TimeoutError) return 'lost'
  if (!(error instanceof HttpRequestError)) return undefined
  const { status } = error
  if (status === undefined) return 'lost'
  // the body is no JSON-RPC, such as a page of HTML
  if (status < 300) return 'certain'
  if (status < 400 || NOT_FOR_SIZE.has(status)) return undefined
  return FOR_FORM.has(status) ? 'certain' : 'perhaps'
}

/** Whether a node answered a request with 429. */
export function isRateLimitStatus(error: unknown): error is HttpRequestError {
  return error instanceof HttpRequestError && error.status === 429
}

/** Returns the milliseconds of a Retry-After header; undefined if there is none. */
export function retryAfterFrom({ headers }: HttpRequestError): number | undefined {
  return retryAfterOf(headers?.get('retry-after'))
}
