/** Which destinations an operator lets files be fetched from, beside what addresses are public. */
export interface DestinationPolicy {
  /** Host names; `*.example.org` stands for every name below. Empty: all. */
  allowedHosts: readonly string[]
  deniedHosts: readonly string[]
  /** Ports, both ends included. */
  ports: readonly [first: number, last: number][]
}

/** Whether an http URL may be asked at all: http or https, no user info, and host and port as the operator allows. */
export function isAllowed(url: URL, policy: DestinationPolicy): boolean {
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username || url.password) return false
  const port = Number(url.port || (url.protocol === 'http:' ? 80 : 443))
  return isAllowedHost(url.hostname, policy) && isAllowedPort(port, policy)
}

export function isAllowedHost(hostname: string, { allowedHosts, deniedHosts }: DestinationPolicy): boolean {
  const host = hostname.replace(/\.$/, '').toLowerCase()
  if (deniedHosts.some((pattern) => fits(host, pattern))) return false
  return allowedHosts.length === 0 || allowedHosts.some((pattern) => fits(host, pattern))
}

export function isAllowedPort(port: number, { ports }: DestinationPolicy): boolean {
  return ports.some(([first, last]) => port >= first && port <= last)
}

function fits(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
}
