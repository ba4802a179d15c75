import { HttpRequestError, TimeoutError } from 'viem'

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
  for (const cause of causes(error)) {
    if (cause instanceof TimeoutError) return { reason: 'did not answer in time' }
    if (!(cause instanceof HttpRequestError)) continue
    const { status, headers } = cause
    if (status === undefined) return { reason: 'cannot be reached' }
    const seconds = Number(headers?.get('retry-after') ?? Number.NaN)
    return { reason: `answered ${status}`, ...(seconds > 0 ? { retryAfter: seconds * 1000 } : {}) }
  }
  return undefined
}

function causes(error: unknown): Error[] {
  const all: Error[] = []
  for (let cause = error; cause instanceof Error && all.length < 10; cause = cause.cause) all.push(cause)
  return all
}
