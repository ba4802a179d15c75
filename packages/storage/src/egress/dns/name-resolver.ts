import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { Lookup } from '@tidegate/protocol/addresses'
import { LRUCache } from 'lru-cache'
import { STORAGE_LIMITS } from '../../limits.js'
import { DnsError, type QueryOptions, queryAddresses } from './dns-query.js'
import { HostsFile } from './hosts-file.js'

export interface NameResolverOptions extends QueryOptions {
  /** Default: the system's hosts file. */
  hostsFile?: string
}

interface PendingLookup {
  result: Promise<LookupAddress[]>
  waiters: number
  /** Cancels the look-up and releases its slot. */
  abandon(reason?: unknown): void
}

/**
 * Resolves names without the process's thread pool, which slow name servers would block for the file system and other look-ups.
 * The hosts file and localhost take precedence. Look-ups have a deadline, and limits per domain and in total. Concurrent
 * look-ups of one name are coalesced.
 */
export class NameResolver {
  private readonly hosts: HostsFile
  private readonly lookups = new Map<string, PendingLookup>()
  private readonly countByDomain = new Map<string, number>()
  private readonly cache = new LRUCache<string, LookupAddress[] | DnsError['code']>({
    max: STORAGE_LIMITS.dns.cacheEntries,
  })
  private closed = false

  constructor(private readonly options: NameResolverOptions = {}) {
    this.hosts = new HostsFile(options.hostsFile)
  }

  get inFlight(): number {
    return this.lookups.size
  }

  /** Like dns.lookup, with a signal in the options. */
  readonly lookup: Lookup = (hostname, { all, family, signal }, callback) => {
    this.resolve(hostname, signal).then(
      (addresses) => {
        const matching = family
          ? addresses.filter((one) => family === one.family || family === `IPv${one.family}`)
          : addresses
        const [first] = matching
        if (first === undefined) callback(new DnsError('ENOTFOUND'), [])
        else if (all) callback(null, matching)
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, []),
    )
  }

  /**
   * Resolves a name to a few addresses of each family, IPv4 first. Rejects with the signal's reason or DnsError: ENOTFOUND,
   * EAI_AGAIN if name servers fail, ETIMEDOUT at the deadline, DNS_BUSY at the limits.
   */
  async resolve(hostname: string, signal?: AbortSignal): Promise<LookupAddress[]> {
    signal?.throwIfAborted()
    const literal = isIP(hostname)
    if (literal !== 0) return [{ address: hostname, family: literal }]
    const name = hostname.toLowerCase().replace(/\.$/, '')
    if (!isHostName(name)) throw new DnsError('ENOTFOUND')
    if (/(?:^|\.)localhost$/.test(name)) return [...LOOPBACK]
    const listed = await this.hosts.find(name)
    if (listed) return listed
    const cached = this.cache.get(name)
    if (typeof cached === 'string') throw new DnsError(cached)
    return cached ?? this.join(this.lookups.get(name) ?? this.start(name), signal)
  }

  /** Cancels all look-ups and rejects further ones. */
  close(): void {
    this.closed = true
    for (const pending of this.lookups.values()) pending.abandon(new DnsError('ECANCELLED'))
  }

  private start(name: string): PendingLookup {
    if (this.closed) throw new DnsError('ECANCELLED')
    const domain = domainOf(name)
    const inDomain = this.countByDomain.get(domain) ?? 0
    if (inDomain >= STORAGE_LIMITS.dns.perDomain || this.lookups.size >= STORAGE_LIMITS.dns.inFlight)
      throw new DnsError('DNS_BUSY')
    const controller = new AbortController()
    const pending: PendingLookup = {
      result: this.query(name, controller.signal).finally(() => this.end(name, pending)),
      waiters: 0,
      abandon: (reason) => {
        this.end(name, pending)
        controller.abort(reason)
      },
    }
    pending.result.catch(() => undefined) // all callers may have left
    this.lookups.set(name, pending)
    this.countByDomain.set(domain, inDomain + 1)
    return pending
  }

  /** Releases the slot of a look-up. Idempotent. */
  private end(name: string, pending: PendingLookup): void {
    if (this.lookups.get(name) !== pending) return
    this.lookups.delete(name)
    const domain = domainOf(name)
    const remaining = (this.countByDomain.get(domain) ?? 1) - 1
    if (remaining === 0) this.countByDomain.delete(domain)
    else this.countByDomain.set(domain, remaining)
  }

  private async query(name: string, signal: AbortSignal): Promise<LookupAddress[]> {
    try {
      const { addresses, lifetime } = await queryAddresses(name, signal, this.options)
      if (lifetime > 0) this.cache.set(name, addresses, { ttl: lifetime })
      return addresses
    } catch (error) {
      if (error instanceof DnsError && !signal.aborted)
        this.cache.set(name, error.code, { ttl: STORAGE_LIMITS.dns.failureTimeToLive })
      throw error
    }
  }

  /** Waits for a look-up until the signal fires. The look-up is cancelled when its last caller leaves. */
  private join(pending: PendingLookup, signal?: AbortSignal): Promise<LookupAddress[]> {
    pending.waiters += 1
    if (!signal) return pending.result
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason)
        pending.waiters -= 1
        if (pending.waiters === 0) pending.abandon()
      }
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      pending.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }
}

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Whether a text in lower case is a host name: labels of letters, digits, - and _, of which the last is not numeric. */
function isHostName(name: string): boolean {
  if (name.length > STORAGE_LIMITS.dns.name) return false
  const labels = name.split('.')
  // 127.1 and 0x7f.1 are addresses to some resolvers
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) as string)) return false
  return labels.every((label) => label.length <= STORAGE_LIMITS.dns.label && /^[a-z0-9_-]+$/.test(label))
}

/**
 * Returns the domain for the limit: the last two labels. Names such as x.co.uk share a limit with others. Additional
 * subdomains cannot evade it.
 */
function domainOf(name: string): string {
  return name.split('.').slice(-2).join('.')
}
