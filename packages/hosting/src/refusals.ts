import { HostingError } from '@tidegate/protocol'
import type { HostingLimits } from './limits.js'

/** One error for foreign, unknown, deleted and expired files. */
export function notFound(): HostingError {
  return new HostingError('UPLOAD_NOT_FOUND', 'There is no such file.')
}

/** An upload with this key was created concurrently, or is deleted or expired. */
export function alreadyBegun(): HostingError {
  return new HostingError('UPLOAD_CONFLICT', 'This Idempotency-Key was used before. Try again, or use another key.')
}

/** Another writer has the lock. */
export function lostLock(): HostingError {
  return new HostingError('UPLOAD_CONFLICT', 'Another writer has continued this upload.')
}

/** Acknowledged bytes are missing from the backend. */
export function lostBytes(): HostingError {
  return new HostingError('UPLOAD_LOST', 'The storage of hosted files has lost bytes of this upload.')
}

/** An upload gets no memory in time, or must release it and cannot keep its part. */
export function tooMany(): HostingError {
  return new HostingError('HOSTING_UNAVAILABLE', 'Too many files are being uploaded. Try again in a moment.')
}

/** The backend has no room for the bytes of an upload. */
export function full(): HostingError {
  return new HostingError('HOSTING_FULL', 'The storage of hosted files is full.')
}

/** The backend takes the file in no attempt. `code`: its reason. */
export function unstorable(code: string): HostingError {
  return new HostingError('UPLOAD_UNSTORABLE', `The storage of hosted files does not take this file: ${code}.`)
}

/** A file, or all partial uploads of one, has more bytes than its limit. */
export function tooLarge({ maxFile, isPublic }: Pick<HostingLimits, 'maxFile' | 'isPublic'>): HostingError {
  return new HostingError('UPLOAD_TOO_LARGE', `A ${isPublic ? 'public ' : ''}file may have at most ${maxFile} bytes.`)
}
