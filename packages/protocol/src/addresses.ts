import type { LookupAddress, LookupOptions } from 'node:dns'
import ipaddr from 'ipaddr.js'
import { ISATAP_GROUP } from './constants.js'

/** The IPv6 range of the public internet. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** The deprecated 6to4 relays (RFC 7526): any router may route them anywhere. */
const RELAYS_6TO4 = ipaddr.parseCIDR('192.88.99.0/24') as [ipaddr.IPv4, number]

/** The host of each virtual machine on Azure, which serves settings and keys of agents. */
const AZURE_HOST = '168.63.129.16'

/**
 * Whether an IP address literal (v4 or v6) is on the public internet. IPv4 inside IPv6 (mapped, NAT64, 6to4, Teredo, ISATAP)
 * is never public, since it leads to the embedded address, which is not checked.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  if (address.kind() === 'ipv4')
    return !(address as ipaddr.IPv4).match(RELAYS_6TO4) && address.toString() !== AZURE_HOST
  return (address as ipaddr.IPv6).match(GLOBAL_IPV6) && !isIsatap(address as ipaddr.IPv6)
}

/** ISATAP (RFC 5214): the second half is 0:5efe and an IPv4 address, with two flags among the zeros. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return ((parts[4] as number) & ~0x0300) === 0 && parts[5] === ISATAP_GROUP
}

/**
 * Returns the address literal of a URL's host, canonical and without brackets; undefined for a name. The canonical form is
 * checked and connected to, since systems accept several forms of one address.
 */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(bare) ? ipaddr.parse(bare).toString() : undefined
}

/** Bits of an address that name a network of a provider's customer or a small provider. */
const NETWORK_BITS = { ipv4: 24, ipv6: 48 }

/** Returns the network of an IP address, such as `203.0.113.0/24` or `2001:db8:1::/48`; `unknown` for other text. */
export function networkAround(text: string): string {
  if (!ipaddr.isValid(text)) return 'unknown'
  const address = ipaddr.process(text)
  const kind = address.kind()
  const bits = NETWORK_BITS[kind]
  const network = (kind === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(`${address}/${bits}`)
  return `${network}/${bits}`
}

/** The destination is not allowed. Thrown before a connection is opened. */
export class ForbiddenDestination extends Error {
  readonly code = 'FORBIDDEN_DESTINATION'
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void

/** The signature of dns.lookup, with a signal that cancels the look-up. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { signal?: AbortSignal },
  callback: LookupCallback,
) => void

/**
 * Returns a look-up for connections to a name, so that the checked address is the one connected to. It fails with
 * ForbiddenDestination if any address is not allowed: a mixed result is an attempt at evasion.
 */
export function checkedLookup(lookup: Lookup, allows: (address: string) => boolean): Lookup {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, resolved) => {
      const addresses = resolved as LookupAddress[]
      if (error) return callback(error, [])
      if (addresses.length === 0 || !addresses.every(({ address }) => allows(address)))
        return callback(new ForbiddenDestination('not an allowed address'), [])
      if (options.all) return callback(null, addresses)
      const first = addresses[0] as LookupAddress
      callback(null, first.address, first.family)
    })
}
