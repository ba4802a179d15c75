import { HostingError } from '../errors.js'

/** The same for files of others, and for those that never were, were deleted or have ended. */
export function notFound(): HostingError {
  return new HostingError('UPLOAD_NOT_FOUND', 'There is no such file.')
}

/** An upload was begun with this key at the same moment, or was deleted, or has ended. */
export function alreadyBegun(): HostingError {
  return new HostingError('UPLOAD_CONFLICT', 'This Idempotency-Key was used before. Try again, or use another key.')
}

/** Acknowledged bytes are missing from the place, by no fault of this service. */
export function lostBytes(): HostingError {
  return new HostingError('UPLOAD_LOST', 'The place of the hosted files has lost bytes of this upload.')
}

/** The same for who waits in vain and who has to give way with a part that cannot be kept. */
export function tooMany(): HostingError {
  return new HostingError('HOSTING_UNAVAILABLE', 'Too many files are uploaded at once. Try again in a moment.')
}
