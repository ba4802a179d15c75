import { CHAIN_LIMITS } from '../limits.js'

/** A node refused a call because of its rate limit. */
export class RateLimited extends Error {
  override readonly name = 'RateLimited'
  /** `retryAfter` in milliseconds; undefined if the node named no time. */
  constructor(readonly retryAfter?: number) {
    super('The node limits the rate of calls.')
  }
}

/** An error object of JSON-RPC. Every field is untrusted. */
interface RpcError {
  code?: unknown
  message?: unknown
  data?: unknown
}

/** Codes that mean nothing but a rate limit. */
const RATE_CODES = new Set<unknown>([429, -32029])
/** The code that some providers use for their rate limit, and others for too many results. */
const AMBIGUOUS_CODE = -32005

const RATE_WORDS =
  /\brate\b|rate-?limit|too many (requests|calls)|per[ -](second|minute|hour|day|month)|request limit|request count|throughput|capacity|compute units|credits|quota|slow down|throttl|back ?off|\brps\b|try again (in|later)/i
const SIZE_WORDS =
  /\b(blocks?|ranges?|results?|logs?|events?|responses?|sizes?|time-?outs?|timed out|too (large|big|long))\b/i
const BATCH_WORDS = /\bbatch(es|ed)?\b/i

/**
 * Returns whether an error reply to a call states a rate limit. `perhaps`: the code is also used for requests that match
 * too many events, and the message does not tell which.
 */
export function rateLimitIn(error: RpcError | undefined, method: string): 'yes' | 'perhaps' | 'no' {
  if (!error) return 'no'
  const { code, data } = error
  const message = String(error.message ?? '').slice(0, CHAIN_LIMITS.chain.errorText)
  if (RATE_CODES.has(code)) return 'yes'
  if (BATCH_WORDS.test(message) && !RATE_WORDS.test(message)) return 'no'
  if (method === 'eth_getLogs' && SIZE_WORDS.test(message)) return 'no'
  if (RATE_WORDS.test(message) || Object(Object(data).rate) === Object(data).rate) return 'yes'
  if (code !== AMBIGUOUS_CODE || SIZE_WORDS.test(message)) return 'no'
  return method === 'eth_getLogs' ? 'perhaps' : 'yes'
}

/** Returns whether an error reply concerns the whole batch that the call was sent in. */
export function isBatchRefusal({ code, message }: RpcError): boolean {
  return code === -32600 || BATCH_WORDS.test(String(message ?? '').slice(0, CHAIN_LIMITS.chain.errorText))
}

/** Returns the milliseconds that an error reply names for the next attempt; undefined if it names none. */
export function retryAfterIn({ data }: RpcError): number | undefined {
  // https://docs.infura.io: backoff_seconds; Chainstack: try_again_in, for instance "248.7ms"
  const { rate, try_again_in } = Object(data) as { rate?: unknown; try_again_in?: unknown }
  const seconds = Number((Object(rate) as { backoff_seconds?: unknown }).backoff_seconds)
  if (seconds > 0) return bounded(seconds * 1000)
  const [, amount, unit] = /^(\d{1,9}(?:\.\d{1,9})?)(ms|s)$/.exec(String(try_again_in ?? '').slice(0, 32)) ?? []
  return amount === undefined ? undefined : bounded(Number(amount) * (unit === 's' ? 1000 : 1))
}

/** Returns the milliseconds of a Retry-After header (RFC 9110): seconds, or a date. Undefined if it is neither. */
export function retryAfterOf(header: string | null | undefined): number | undefined {
  if (!header) return undefined
  const milliseconds = /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return milliseconds > 0 ? bounded(milliseconds) : undefined
}

const bounded = (milliseconds: number) => Math.min(milliseconds, CHAIN_LIMITS.chain.retryAfter)
