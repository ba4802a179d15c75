import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'

/** Temporary refusals: an order waits for blocks, or a part of an upload for another writer or a new attempt. */
const WAITING = new Set(['ORDER_NOT_FOUND', 'ORDER_UNCONFIRMED', 'UPLOAD_LOCKED', 'UPLOAD_CONFLICT', 'UPLOAD_CHECKSUM'])
/** Statuses from 500 that a retry does not change: not implemented, and full. */
const LASTING = [501, 505, 507]
const OWN = new Set(['UNREACHABLE', 'TIMEOUT', 'STALLED', 'BROKEN_OFF'])

/**
 * Returns the number of allowed retries in a row: 0 for a lasting refusal. `started`: whether an earlier response shows that
 * the request itself is valid.
 */
export function retriesAfter(error: unknown, started: boolean, most: number): number {
  if (!(error instanceof TidegateError)) return 0
  const { code, status = 0 } = error
  if (WAITING.has(code)) return most
  if (!OWN.has(code) && status !== 408 && status !== 429 && status < 500) return 0
  if (LASTING.includes(status)) return 0
  if (started) return most
  // a storage that fails now rarely recovers within a second
  return code.startsWith('STORAGE_') ? 0 : Math.min(LIMITS.firstRetries, most)
}

/** Returns the milliseconds before the next attempt: exponential backoff with jitter, at least the provider's Retry-After. */
export function pauseBefore(attempt: number, error: unknown): number {
  const { first, longest } = LIMITS.pause
  const backOff = Math.min(first * 2 ** (attempt - 1), longest) * (0.5 + Math.random() / 2)
  const asked = error instanceof TidegateError ? Math.min(error.retryAfter ?? 0, LIMITS.retryAfter) * 1000 : 0
  return Math.max(backOff, asked)
}

/** Waits. Rejects with the signal's reason if it fires first. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    signal.addEventListener('abort', abort, { once: true })
  })
}
