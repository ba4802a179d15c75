/** The operator's rules for destinations, in addition to the check for public addresses. */
export interface DestinationPolicy {
  /** Host names; `*.example.org` matches every subdomain. Empty: all. */
  allowedHosts: readonly string[]
  deniedHosts: readonly string[]
  /** Ports, both ends included. */
  ports: readonly [first: number, last: number][]
}

/** Whether a URL is http(s), without user info, and has an allowed host and port. */
export function isAllowed(url: URL, policy: DestinationPolicy): boolean {
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username || url.password) return false
  const port = Number(url.port || (url.protocol === 'http:' ? 80 : 443))
  return isAllowedHost(url.hostname, policy) && isAllowedPort(port, policy)
}

/** Whether the host of a URL is allowed. Denied patterns take precedence. */
export function isAllowedHost(hostname: string, { allowedHosts, deniedHosts }: DestinationPolicy): boolean {
  const host = hostname.replace(/\.$/, '').toLowerCase()
  if (deniedHosts.some((pattern) => matches(host, pattern))) return false
  return allowedHosts.length === 0 || allowedHosts.some((pattern) => matches(host, pattern))
}

export function isAllowedPort(port: number, { ports }: DestinationPolicy): boolean {
  return ports.some(([first, last]) => port >= first && port <= last)
}

function matches(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
}
