import type { FileProblem } from '@tidegate/protocol'

/** Returns the problem of a file by the status of a response. */
export function reasonOf(status: number): FileProblem {
  if (status === 404 || status === 410) return 'not_found'
  if (status === 401 || status === 403 || status === 407) return 'denied'
  if (status === 405) return 'not_allowed'
  if (status === 406 || status === 415 || status === 501) return 'unsupported'
  return status === 408 || status === 504 ? 'timeout' : 'failed'
}
