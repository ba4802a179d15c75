import ipaddr from 'ipaddr.js'

/**
 * Whether an IP address (literal, v4 or v6) is on the public internet. IPv4 inside IPv6 (mapped, NAT64, 6to4,
 * Teredo) is never taken for public: such forms lead to the embedded address by a way that nobody checks.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  return ipaddr.parse(text).range() === 'unicast'
}

/** The address in the host of a URL, without the brackets of IPv6; undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(bare) ? bare : undefined
}
