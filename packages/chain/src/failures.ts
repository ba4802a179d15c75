import { describeFailedExchange } from '@tidegate/common'
import { HttpRequestError, ResponseBodyTooLargeError } from 'viem'
import { NODE_CODES, TOO_LONG_CODES } from './constants.js'
import { CHAIN_LIMITS } from './limits.js'
import { BasicCallRefused } from './rpc/json-rpc.js'
import { UnexpectedAnswer } from './rpc/json-rpc-http.js'
import { RateLimited, retryAfterOf } from './rpc/rate-limits.js'
import { MalformedResponse } from './rpc/validated-transport.js'

/** A failure of a node to give a usable response. */
export interface TransportFailure {
  /** A predicate about the node, without its URL. */
  reason: string
  /** Milliseconds, if the node sent them. */
  retryAfter?: number
}

const CONTRACT_ERRORS = new Set([
  'ContractFunctionRevertedError',
  'ContractFunctionZeroDataError',
  'AbiDecodingZeroDataError',
  'ExecutionRevertedError',
])

/** Returns whether the node responded and the contract reverted or returned nothing. */
export function isContractError(error: unknown): boolean {
  return causes(error).some(({ name }) => CONTRACT_ERRORS.has(name))
}

/** Returns whether the node failed; if not, it responded, and the call itself reverted or returned nothing. */
export function nodeFailed(error: unknown): boolean {
  if (transportFailure(error)) return true
  return causes(error).some((cause) => NODE_CODES.has((cause as { code?: unknown }).code))
}

/** Returns the failure of the node itself; undefined for an error that the node returned for a call. */
export function transportFailure(error: unknown): TransportFailure | undefined {
  const all = causes(error)
  // thrown by viem, or by the deadline signal of the request
  if (all.some(({ name }) => name === 'TimeoutError')) return { reason: 'did not answer in time' }
  for (const cause of all) {
    if (cause instanceof MalformedResponse) return { reason: `answers ${cause.method} with a wrong ${cause.field}` }
    if (cause instanceof RateLimited) {
      const { retryAfter } = cause
      return { reason: 'limits the rate of calls', ...(retryAfter === undefined ? {} : { retryAfter }) }
    }
    if (cause instanceof BasicCallRefused) return { reason: `refuses all calls with code ${cause.code}` }
    if (!(cause instanceof HttpRequestError)) continue
    const { status, headers } = cause
    if (status === undefined) return { reason: describeFailedExchange(cause.cause) }
    const retryAfter = retryAfterOf(headers?.get('retry-after'))
    const reason = cause.cause instanceof UnexpectedAnswer ? cause.cause.message : `answered ${status}`
    return { reason, ...(retryAfter === undefined ? {} : { retryAfter }) }
  }
  return undefined
}

/** Returns whether a working node refuses this request for its size or form. */
export function isRefusal(error: unknown): boolean {
  return isTooLong(error) || causes(error).some(isRefusedLogs)
}

/** Whether the node refused an unbatched request for events with an HTTP status that blames the request. */
function isRefusedLogs(error: Error): boolean {
  if (!(error instanceof HttpRequestError) || (error.status !== 400 && error.status !== 422)) return false
  return (error.body as { method?: unknown } | undefined)?.method === 'eth_getLogs'
}

/** Returns whether the response exceeds a limit: of the node, of its proxy, or of this package. */
export function isTooLong(error: unknown): boolean {
  return causes(error).some(
    (cause) =>
      cause instanceof ResponseBodyTooLargeError ||
      (cause instanceof HttpRequestError && cause.status === 413) ||
      TOO_LONG_CODES.has(codeOf(cause)),
  )
}

/**
 * Returns the reason of a refusal that a smaller request may avoid, as a predicate without a URL. Undefined if the node
 * itself fails. Nodes have no common code for this, so any error of a reachable node counts, except a rate limit.
 */
export function refusal(error: unknown): string | undefined {
  const all = causes(error)
  if (all.some((cause) => cause instanceof ResponseBodyTooLargeError))
    return `answers more than ${CHAIN_LIMITS.chain.response} bytes, or too many values`
  const failure = transportFailure(error)
  if (failure)
    return /in time$|^answered (413|50\d)/.test(failure.reason) || all.some(isRefusedLogs) ? failure.reason : undefined
  const code = all.map(codeOf).find((found) => found !== undefined)
  return code === 429 ? undefined : `refuses${code === undefined ? '' : ` with code ${code}`}`
}

/** Returns whether a node's error message mentions an address. Nodes that return events only by address send such messages. */
export function mentionsAddress(error: unknown): boolean {
  return causes(error).some((cause) => {
    const { details } = cause as { details?: unknown }
    return typeof details === 'string' && /address|contract/i.test(details.slice(0, CHAIN_LIMITS.chain.errorText))
  })
}

function codeOf(error: Error): number | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'number' && code !== -1 ? code : undefined
}

/** Returns an error and its causes. */
export function causes(error: unknown): Error[] {
  const all: Error[] = []
  for (let cause = error; cause instanceof Error && all.length < 10; cause = cause.cause) all.push(cause)
  return all
}
