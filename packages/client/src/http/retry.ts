import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'

/**
 * Codes of what may be good in a moment: an order once the next blocks are mined, a part of an upload once the writer
 * before it has ended, or when it is sent again.
 */
const WAITING = new Set(['ORDER_NOT_FOUND', 'ORDER_UNCONFIRMED', 'UPLOAD_LOCKED', 'UPLOAD_CONFLICT', 'UPLOAD_CHECKSUM'])
const OWN = new Set(['UNREACHABLE', 'TIMEOUT', 'STALLED', 'BROKEN_OFF'])

/**
 * How often an attempt that failed may be repeated in a row: not at all for a refusal that stands. `started`: whether
 * something has been received before, so that the request itself is known to be good.
 */
export function retriesAfter(error: unknown, started: boolean, most: number): number {
  if (!(error instanceof TidegateError)) return 0
  const { code, status = 0 } = error
  if (WAITING.has(code)) return most
  if (!OWN.has(code) && status !== 408 && status !== 429 && status < 500) return 0
  if (started) return most
  // a storage that does not give the file now will hardly do so in a second
  return code.startsWith('STORAGE_') ? 0 : Math.min(LIMITS.firstRetries, most)
}

/** Milliseconds before the next attempt: exponential backoff with jitter, and no less than the provider asks for. */
export function pauseBefore(attempt: number, error: unknown): number {
  const { first, longest } = LIMITS.pause
  const backOff = Math.min(first * 2 ** (attempt - 1), longest) * (0.5 + Math.random() / 2)
  const asked = error instanceof TidegateError ? Math.min(error.retryAfter ?? 0, LIMITS.retryAfter) * 1000 : 0
  return Math.max(backOff, asked)
}

/** Waits. Rejects with the signal's reason if that fires first. */
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
