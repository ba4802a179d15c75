import ipaddr from 'ipaddr.js'

/** The one part of IPv6 that is assigned to the public internet. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** The former relays of 6to4, which lead to wherever the next router likes. */
const RELAYS_6TO4 = ipaddr.parseCIDR('192.88.99.0/24')

/**
 * Whether an IP address (literal, v4 or v6) is on the public internet. IPv4 inside IPv6 (mapped, NAT64, 6to4,
 * Teredo) is never taken for public: such forms lead to the embedded address by a way that nobody checks.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv6'
    ? (address as ipaddr.IPv6).match(GLOBAL_IPV6)
    : !(address as ipaddr.IPv4).match(RELAYS_6TO4 as [ipaddr.IPv4, number])
}

/** The address in the host of a URL, without the brackets of IPv6; undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(bare) ? bare : undefined
}
