import { HttpRequestError, ResponseBodyTooLargeError } from 'viem'
import { BOUNDS } from '../bounds.js'
import { MalformedAnswer } from './answers.js'

/** Why a node did not answer at all, in words without its URL; `retryAfter` in milliseconds where it said so. */
export interface TransportFailure {
  reason: string
  retryAfter?: number
}

const CONTRACT_ANSWERS = new Set([
  'ContractFunctionRevertedError',
  'ContractFunctionZeroDataError',
  'AbiDecodingZeroDataError',
  'ExecutionRevertedError',
])

/** Whether the node did answer, and it is the contract that has nothing to say. */
export function isContractAnswer(error: unknown): boolean {
  return causes(error).some(({ name }) => CONTRACT_ANSWERS.has(name))
}

/** Codes by which a node says of itself, not of the call, that it has no answer: unknown method, too many requests. */
const NODE_CODES = new Set([-32601, -32005, 429])

/** Whether it was the node that failed; if not, it answered, and the contract that was called has nothing to say. */
export function nodeFailed(error: unknown): boolean {
  if (transportFailure(error)) return true
  return causes(error).some((cause) => NODE_CODES.has((cause as { code?: unknown }).code as number))
}

/** What is wrong with the node itself, as against an error that it answers to a call. */
export function transportFailure(error: unknown): TransportFailure | undefined {
  const all = causes(error)
  // the library's own error, or that of the deadline of its request
  if (all.some(({ name }) => name === 'TimeoutError')) return { reason: 'did not answer in time' }
  for (const cause of all) {
    if (cause instanceof MalformedAnswer) return { reason: `answers ${cause.method} with a wrong ${cause.field}` }
    if (!(cause instanceof HttpRequestError)) continue
    const { status, headers } = cause
    if (status === undefined) return { reason: 'cannot be reached' }
    const seconds = Number(headers?.get('retry-after') ?? Number.NaN)
    return { reason: `answered ${status}`, ...(seconds > 0 ? { retryAfter: seconds * 1000 } : {}) }
  }
  return undefined
}

/** Codes for an answer that is too long, of servers that tell: go-ethereum's own, those built on jsonrpsee, and of a proxy. */
const TOO_LONG = new Set([-32003, -32008, -32020])

/** Whether the answer would be, or was, too long: the node or what stands before it says so, or our own limit does. */
export function isTooLong(error: unknown): boolean {
  return causes(error).some(
    (cause) =>
      cause instanceof ResponseBodyTooLargeError ||
      (cause instanceof HttpRequestError && cause.status === 413) ||
      TOO_LONG.has(codeOf(cause) as number),
  )
}

/**
 * In words without a URL, why a node that can be reached does not give what it was asked for: it may give less of it.
 * Each says so in words and codes of its own (-32005 or -32602 for too many events, 413 for a long answer, or it takes
 * too long), so whatever it answers counts, but that it is overrun. Undefined where it is the node that fails.
 */
export function refusal(error: unknown): string | undefined {
  const all = causes(error)
  if (all.some((cause) => cause instanceof ResponseBodyTooLargeError))
    return `answers more than ${BOUNDS.chain.answer} bytes`
  const failure = transportFailure(error)
  if (failure) return /in time|413|50\d/.test(failure.reason) ? failure.reason : undefined
  const code = all.map(codeOf).find((found) => found !== undefined)
  return code === 429 ? undefined : `refuses${code === undefined ? '' : ` with code ${code}`}`
}

function codeOf(error: Error): number | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'number' && code !== -1 ? code : undefined
}

function causes(error: unknown): Error[] {
  const all: Error[] = []
  for (let cause = error; cause instanceof Error && all.length < 10; cause = cause.cause) all.push(cause)
  return all
}
