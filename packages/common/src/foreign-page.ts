/** Hosts and origins that may use a local service, in addition to this machine. */
export interface LocalOnly {
  /** Further host names of the service, in lower case. */
  hosts: readonly string[]
  /** Further origins whose pages may call it. */
  origins: readonly string[]
}

/** The fields of a request that identify its page. */
interface Asked {
  method?: string | undefined
  headers: Headers
}

type Headers = Readonly<Record<string, string | string[] | undefined>> & {
  host?: string | undefined
  origin?: string | undefined
  referer?: string | undefined
}

/**
 * Whether a foreign page may have sent a request through a browser of this machine. The Host must be this machine, since
 * DNS rebinding leads other names here. The page must be of this machine too: a request without preflight changes state
 * although its response cannot be read.
 */
export function isForeignPage({ method, headers }: Asked, { hosts, origins }: LocalOnly): boolean {
  const isOwnHost = (url: string) => {
    const hostname = URL.canParse(url) ? new URL(url).hostname : ''
    return isLoopback(hostname) || hosts.includes(hostname)
  }
  const isOwnPage = (origin: string) => origins.includes(origin) || isOwnHost(origin)
  const { host, origin, referer = '' } = headers
  if (host !== undefined && !isOwnHost(`http://${host}`)) return true
  if (origin !== undefined) return !isOwnPage(origin)
  return isCrossSite({ method, headers }) && !isOwnPage(referer)
}

/** Whether a page of another site sent the request, according to the browser. Following a link does not count. */
function isCrossSite({ method, headers }: Asked): boolean {
  const isLink =
    method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return headers['sec-fetch-site'] === 'cross-site' && !isLink
}

/** Whether a URL host, as URL writes it, is this machine. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
