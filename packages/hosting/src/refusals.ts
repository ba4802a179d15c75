import { HostingError } from '@tidegate/protocol'

/** The same for files of others, and for those that never existed, were deleted or have expired. */
export function notFound(): HostingError {
  return new HostingError('UPLOAD_NOT_FOUND', 'There is no such file.')
}

/** An upload was begun with this key at the same moment, or was deleted, or has expired. */
export function alreadyBegun(): HostingError {
  return new HostingError('UPLOAD_CONFLICT', 'This Idempotency-Key was used before. Try again, or use another key.')
}

/** Acknowledged bytes are missing from the backend, by no fault of this service. */
export function lostBytes(): HostingError {
  return new HostingError('UPLOAD_LOST', 'The storage of hosted files has lost bytes of this upload.')
}

/** For an upload that gets no memory in time, and for one that has to release its memory and cannot keep its part. */
export function tooMany(): HostingError {
  return new HostingError('HOSTING_UNAVAILABLE', 'Too many files are being uploaded. Try again in a moment.')
}
