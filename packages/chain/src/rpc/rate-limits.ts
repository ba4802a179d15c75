import { AMBIGUOUS_CODE, INVALID_REQUEST, RATE_CODES } from '../constants.js'
import { CHAIN_LIMITS } from '../limits.js'

/** A node refused a call for its rate limit. */
export class RateLimited extends Error {
  override readonly name = 'RateLimited'
  /** `retryAfter`: milliseconds that the node requests; undefined if none. */
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

const RATE_WORDS =
  /\brate\b|rate-?limit|too many (requests|calls)|per[ -](second|minute|hour|day|month)|request limit|request count|throughput|capacity|compute units|credits|quota|slow down|throttl|back ?off|\brps\b|try again (in|later)/i
const SIZE_WORDS =
  /\b(blocks?|ranges?|results?|logs?|events?|responses?|sizes?|time-?outs?|timed out|too (large|big|long))\b/i
const BATCH_WORDS = /\bbatch(es|ed)?\b/i

/** Returns whether an error reply states a rate limit. `perhaps`: its code may also mean too many events. */
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

/** Returns whether an error reply is about the whole batch. */
export function isBatchRefusal({ code, message }: RpcError): boolean {
  return code === INVALID_REQUEST || BATCH_WORDS.test(String(message ?? '').slice(0, CHAIN_LIMITS.chain.errorText))
}

/** Returns the milliseconds before a retry that an error reply names; undefined if it names none. */
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
