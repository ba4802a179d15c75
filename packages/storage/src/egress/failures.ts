import type { Outcome } from '@tidegate/common'
import { StorageError } from '@tidegate/protocol'
import { busy } from './connection-pool.js'
import { MalformedResponse } from './response-head.js'

/** How a failure is counted; every other code counts as failed. */
export const OUTCOMES: Record<string, Outcome> = { STORAGE_BUSY: 'busy', STORAGE_TIMEOUT: 'timeout' }

/** Maps an error to one with a fixed message: busy, timed out, or unreachable. */
export function failureOf(error: unknown, signal: AbortSignal): StorageError {
  if (error instanceof StorageError) return error
  if ((error as { code?: string }).code === 'DNS_BUSY') return busy()
  if (signal.aborted || isTimeout(error))
    return new StorageError('STORAGE_TIMEOUT', 'The storage of this file did not answer in time.')
  return isMalformed(error)
    ? new StorageError('STORAGE_REFUSED', 'The storage of this file did not hand it out.', 'failed')
    : refused()
}

/** Whether a storage answered, but not in HTTP that can be trusted. */
function isMalformed(error: unknown): boolean {
  return error instanceof MalformedResponse || /^HPE_/.test((error as { code?: string }).code ?? '')
}

/** A destination that is not allowed looks like one that cannot be reached. */
export function refused(): StorageError {
  return new StorageError('STORAGE_REFUSED', 'The storage of this file cannot be reached.', 'unreachable')
}

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'])

function isTimeout(error: unknown): boolean {
  return TIMEOUTS.has((error as { code?: string }).code ?? '')
}
