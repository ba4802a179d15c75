/** Destinations that the operator allows, in addition to the check for public addresses. */
export interface DestinationPolicy {
  /** Host names; `*.example.org` matches every subdomain. Empty: all. */
  allowedHosts: readonly string[]
  deniedHosts: readonly string[]
  /** Ports, both ends included. */
  ports: readonly [first: number, last: number][]
}

/** Whether a URL may be requested: http or https, no user info, and an allowed host and port. */
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

/** Whether a port is allowed. */
export function isAllowedPort(port: number, { ports }: DestinationPolicy): boolean {
  return ports.some(([first, last]) => port >= first && port <= last)
}

function matches(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
}
