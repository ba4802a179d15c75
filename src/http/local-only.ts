import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RequestError } from '../errors.js'
import { sendError } from './errors.js'

/** Who may use a service that knows published keys, beside this machine itself. */
export interface LocalOnly {
  /** Further host names at which it is addressed, in lower case. */
  hosts: readonly string[]
  /** Further origins whose pages may call it. */
  origins: readonly string[]
}

/**
 * Refuses requests that a foreign page may have made in a browser of this machine. Its name may lead here by DNS rebinding, so
 * the Host must be one of this machine; and a request without preflight changes state although its response cannot be read, so the
 * page must be one too. Must be called before CORS is registered, which answers preflights.
 */
export function refuseForeignPages(app: FastifyInstance, { hosts, origins }: LocalOnly): void {
  const isOwnHost = (url: string) => {
    const hostname = URL.canParse(url) ? new URL(url).hostname : ''
    return isLoopback(hostname) || hosts.includes(hostname)
  }
  const isOwnPage = (origin: string) => origins.includes(origin) || isOwnHost(origin)
  app.addHook('onRequest', (request, reply, done) => {
    const { host, origin } = request.headers
    const isOwn = (host === undefined || isOwnHost(`http://${host}`)) && (origin === undefined || isOwnPage(origin))
    if (isOwn && (origin !== undefined || !isCrossSite(request) || isOwnPage(request.headers.referer ?? '')))
      return done()
    const reason = 'This development service answers only this machine and its pages. See `tidegate dev --help`.'
    sendError(new RequestError('FOREIGN_PAGE', reason), request, reply)
  })
}

/** Whether a browser says that a page of another site has made the request, other than by a link to it. */
function isCrossSite({ method, headers }: FastifyRequest): boolean {
  const isLink =
    method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return headers['sec-fetch-site'] === 'cross-site' && !isLink
}

/** Whether the host of a URL, as URL writes it, is this machine. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
