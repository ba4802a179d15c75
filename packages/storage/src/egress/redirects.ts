import { STORAGE_LIMITS } from '../limits.js'
import type { EgressRequest } from './egress-request.js'
import type { UpstreamResponse } from './exchange.js'
import { type RequestUrl, stripped } from './request-url.js'

/** A request whose URL is allowed. */
export type CheckedRequest = Omit<EgressRequest, 'url'> & RequestUrl

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Returns the Location of a redirect; undefined if there is none, or it is empty, too long or ambiguous. */
export function locationOf({ status, headers: { location } }: UpstreamResponse): string | undefined {
  if (!REDIRECTS.has(status)) return undefined
  const [first = '', ...others] = [location ?? []].flat()
  const isUsable =
    stripped(first) !== '' && first.length <= STORAGE_LIMITS.files.url && others.every((other) => other === first)
  return isUsable ? first : undefined
}

/** Returns the next request of a redirect chain. The publisher's secrets are not sent to another origin. */
export function redirected(request: CheckedRequest, status: number, to: RequestUrl): CheckedRequest {
  const downgraded = status === 303 || (request.method === 'POST' && (status === 301 || status === 302))
  const crossed = to.url.origin !== request.url.origin
  const headers = crossed
    ? Object.fromEntries(Object.entries(request.headers).filter(([name]) => !request.secret?.has(name)))
    : request.headers
  const method = downgraded && request.method !== 'HEAD' ? 'GET' : request.method
  // a body may contain secrets too, so another origin does not get it
  return { ...request, ...to, method, headers, body: downgraded || crossed ? undefined : request.body }
}
