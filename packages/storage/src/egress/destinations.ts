import { networkInterfaces } from 'node:os'
import { isPublicAddress } from '@tidegate/protocol/addresses'
import ipaddr from 'ipaddr.js'
import { STORAGE_LIMITS } from '../limits.js'

export interface DestinationOptions {
  /** Allows non-public addresses that are not denied. */
  allowNonPublic: boolean
  /** Forbidden addresses and networks (CIDR). */
  deniedNetworks?: readonly string[]
  /** Default: the interfaces of this machine. */
  interfaces?: typeof networkInterfaces
}

/** The rules for addresses that files may be fetched from. */
export class Destinations {
  private readonly denied: [ipaddr.IPv4 | ipaddr.IPv6, number][]
  private own: ReadonlySet<string> = new Set()
  private ownReadAt = Number.NEGATIVE_INFINITY

  constructor(private readonly options: DestinationOptions) {
    this.denied = (options.deniedNetworks ?? []).map(network)
  }

  /** Whether connections to an IP address literal (v4 or v6) are allowed. */
  allows(text: string): boolean {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    if (this.denied.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))) return false
    return this.options.allowNonPublic || (isPublicAddress(text) && !this.isOwn(address))
  }

  /** Whether this is an address of the machine itself, whose services may trust local connections. */
  private isOwn(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    if (performance.now() - this.ownReadAt >= STORAGE_LIMITS.destinations.ownAddressesRefresh) {
      this.ownReadAt = performance.now()
      this.own = this.readOwn()
    }
    return this.own.has(canonical(address))
  }

  private readOwn(): ReadonlySet<string> {
    const { interfaces = networkInterfaces } = this.options
    try {
      const all = Object.values(interfaces()).flatMap((addresses) => addresses ?? [])
      return new Set(all.map(({ address }) => canonical(ipaddr.process(address))))
    } catch {
      return this.own // the last known addresses
    }
  }
}

function network(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** Returns the canonical form of an address, without the zone of IPv6. */
function canonical(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  return ipaddr.fromByteArray(address.toByteArray()).toString()
}
