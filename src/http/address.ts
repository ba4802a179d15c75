import ipaddr from 'ipaddr.js'

/**
 * Whom a limit by address counts: an IPv4 address, or the /64 of an IPv6 one, since whoever has one address of it has
 * them all. Text that is no address stays as it is.
 */
export function networkOf(ip: string): string {
  if (!ip.includes(':') || !ipaddr.isValid(ip)) return ip
  const address = ipaddr.parse(ip) as ipaddr.IPv6
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString()
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/** Whether an address is one of a private network or of this machine: a proxy's, or the operator's own. */
export function isPrivate(ip: string): boolean {
  return ipaddr.isValid(ip) && ipaddr.process(ip).range() !== 'unicast'
}
