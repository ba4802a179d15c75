/** Which destinations an operator lets files be fetched from, beside what addresses are public. */
export interface DestinationPolicy {
  /** Host names; `*.example.org` stands for every name below. Empty: all. */
  allowedHosts: readonly string[]
  deniedHosts: readonly string[]
  /** Ports, both ends included. */
  ports: readonly [first: number, last: number][]
}

/** Whether a URL may be asked at all: http or https, no user info, and host and port as the operator allows. */
export function isAllowed(url: URL, { allowedHosts, deniedHosts, ports }: DestinationPolicy): boolean {
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username || url.password) return false
  const host = url.hostname.replace(/\.$/, '')
  if (deniedHosts.some((pattern) => fits(host, pattern))) return false
  if (allowedHosts.length > 0 && !allowedHosts.some((pattern) => fits(host, pattern))) return false
  const port = Number(url.port || (url.protocol === 'http:' ? 80 : 443))
  return ports.some(([first, last]) => port >= first && port <= last)
}

function fits(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
}
