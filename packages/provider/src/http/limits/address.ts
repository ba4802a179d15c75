import { memoizedText } from '@tidegate/protocol'
import ipaddr from 'ipaddr.js'

/** Maximum characters of an address without a zone. A forwarded one may be any text. */
const MAX_ADDRESS = 45

/**
 * Returns the key of an address for limits: the IPv4 address, or the /64 network of an IPv6 address, since a client
 * usually controls a whole /64. Other text is returned unchanged. An address may be missing: the system knows none if
 * the connection was reset before it was accepted.
 */
export function networkOf(ip: string | undefined): string {
  if (ip === undefined) return 'unknown'
  if (!ip.includes(':') || !ipaddr.isValid(ip)) return ip
  const address = ipaddr.parse(ip) as ipaddr.IPv6
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString()
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/** Returns whether an address is private or local, such as that of a proxy. */
export function isPrivate(ip: string | undefined): boolean {
  if (ip === undefined) return false
  return ip.length > MAX_ADDRESS ? isPrivateRange(ip) : cachedRange(ip)
}

function isPrivateRange(ip: string): boolean {
  return ipaddr.isValid(ip) && ipaddr.process(ip).range() !== 'unicast'
}

const cachedRange = memoizedText(isPrivateRange)
