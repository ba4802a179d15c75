import { type FileProblem, StorageError } from '@tidegate/protocol'
import type { FileDescription } from './storage.js'

// fixed texts, since details of a failure would reveal the location of a file

/** Returns the common error for unreachable and forbidden destinations. */
export function unreachable(): StorageError {
  return new StorageError('STORAGE_REFUSED', 'The storage of this file cannot be reached.', 'unreachable')
}

/** Returns the error for a storage that missed its deadline. */
export function timedOut(): StorageError {
  return new StorageError('STORAGE_TIMEOUT', 'The storage of this file did not answer in time.')
}

/** Returns the error for a storage that answered without the file, or a broken transfer. */
export function notDelivered(reason?: FileProblem, upstreamStatus?: number): StorageError {
  return new StorageError('STORAGE_REFUSED', 'The storage of this file did not hand it out.', reason, upstreamStatus)
}

/** Returns the error for a request that finds no free slot. */
export function busy(): StorageError {
  return new StorageError(
    'STORAGE_BUSY',
    'The provider has reached its limit of requests to storages. Try again in a moment.',
  )
}

/** Whether an error is a failure of the storage. STORAGE_BUSY is one of the provider. */
export function isStorageFailure(error: unknown): error is StorageError {
  return error instanceof StorageError && error.code !== 'STORAGE_BUSY'
}

/** Returns the description of an unavailable file. Rethrows errors other than storage failures. */
export function describeFailure(error: unknown): FileDescription {
  if (!isStorageFailure(error)) throw error
  const { reason, upstreamStatus } = error
  return { valid: false, reason, ...(upstreamStatus === undefined ? {} : { upstreamStatus }) }
}
