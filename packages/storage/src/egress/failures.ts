import type { Cancellation, Outcome } from '@tidegate/common'
import { StorageError } from '@tidegate/protocol'
import { busy, notDelivered, timedOut, unreachable } from '../storage-failures.js'
import { MalformedResponse } from './responses/response-head.js'

/** Metric outcomes by error code. All other codes count as failed. */
export const OUTCOMES: Record<string, Outcome> = { STORAGE_BUSY: 'busy', STORAGE_TIMEOUT: 'timeout' }

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'])

/** Maps an error to one with a fixed message: busy, timed out, malformed, or unreachable. */
export function failureOf(error: unknown, signal: Cancellation): StorageError {
  if (error instanceof StorageError) return error
  const { code = '' } = error as { code?: string }
  if (code === 'DNS_BUSY') return busy()
  if (signal.aborted || TIMEOUTS.has(code)) return timedOut()
  // the storage answered with malformed HTTP
  const isMalformed = error instanceof MalformedResponse || code.startsWith('HPE_')
  return isMalformed ? notDelivered('failed') : unreachable()
}
