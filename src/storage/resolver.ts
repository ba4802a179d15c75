import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { LRUCache } from 'lru-cache'
import { BOUNDS } from '../bounds.js'
import type { Lookup } from './connector.js'
import { NameError, type QueryOptions, queryAddresses } from './dns-query.js'
import { HostsFile } from './hosts-file.js'

export interface NameResolverOptions extends QueryOptions {
  /** In place of the system's hosts file. */
  hostsFile?: string
}

/** A look-up under way, and how many wait for it. */
interface Flight {
  answer: Promise<LookupAddress[]>
  waiting: number
  /** Ends the look-up and gives its place back. */
  abandon(reason?: unknown): void
}

/**
 * Finds the addresses of names without the threads of the process, which the system's resolver shares with the file
 * system and with key derivation: there, a few slow name servers hold every other look-up up. The hosts file and
 * localhost come first. Look-ups have a deadline and are bounded, for one domain and in all; equal ones are shared.
 */
export class NameResolver {
  private readonly hosts: HostsFile
  private readonly flights = new Map<string, Flight>()
  private readonly byDomain = new Map<string, number>()
  private readonly known = new LRUCache<string, LookupAddress[] | NameError['code']>({ max: BOUNDS.dns.remembered })
  private closed = false

  constructor(private readonly options: NameResolverOptions = {}) {
    this.hosts = new HostsFile(options.hostsFile)
  }

  /** Look-ups in flight. */
  get inFlight(): number {
    return this.flights.size
  }

  /** In the form of dns.lookup, with a signal among its options. */
  readonly lookup: Lookup = (hostname, { all, family, signal }, callback) => {
    this.resolve(hostname, signal).then(
      (found) => {
        const wanted = family ? found.filter((one) => family === one.family || family === `IPv${one.family}`) : found
        const [first] = wanted
        if (first === undefined) callback(new NameError('ENOTFOUND'), [])
        else if (all) callback(null, wanted)
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, []),
    )
  }

  /**
   * The addresses of a name, IPv4 first, of each family a few. Rejects with NameError: ENOTFOUND, EAI_AGAIN where name
   * servers failed, ETIMEDOUT at the deadline, DNS_BUSY beyond the bounds; or with the reason of the signal.
   */
  async resolve(hostname: string, signal?: AbortSignal): Promise<LookupAddress[]> {
    signal?.throwIfAborted()
    const literal = isIP(hostname)
    if (literal !== 0) return [{ address: hostname, family: literal }]
    const name = hostname.toLowerCase().replace(/\.$/, '')
    if (!isHostName(name)) throw new NameError('ENOTFOUND')
    if (/(?:^|\.)localhost$/.test(name)) return [...LOOPBACK]
    const written = await this.hosts.find(name)
    if (written) return written
    const known = this.known.get(name)
    if (typeof known === 'string') throw new NameError(known)
    return known ?? this.join(this.flights.get(name) ?? this.begin(name), signal)
  }

  /** Ends all look-ups; further ones are refused. */
  close(): void {
    this.closed = true
    for (const flight of this.flights.values()) flight.abandon(new NameError('ECANCELLED'))
  }

  private begin(name: string): Flight {
    if (this.closed) throw new NameError('ECANCELLED')
    const domain = domainOf(name)
    const ofDomain = this.byDomain.get(domain) ?? 0
    if (ofDomain >= BOUNDS.dns.perDomain || this.flights.size >= BOUNDS.dns.inFlight) throw new NameError('DNS_BUSY')
    const controller = new AbortController()
    const flight: Flight = {
      answer: this.ask(name, controller.signal).finally(() => this.end(name, flight)),
      waiting: 0,
      abandon: (reason) => {
        this.end(name, flight)
        controller.abort(reason)
      },
    }
    flight.answer.catch(() => undefined) // of a look-up that nobody waits for any more
    this.flights.set(name, flight)
    this.byDomain.set(domain, ofDomain + 1)
    return flight
  }

  /** Gives the place of a look-up back, once. */
  private end(name: string, flight: Flight): void {
    if (this.flights.get(name) !== flight) return
    this.flights.delete(name)
    const domain = domainOf(name)
    const left = (this.byDomain.get(domain) ?? 1) - 1
    if (left === 0) this.byDomain.delete(domain)
    else this.byDomain.set(domain, left)
  }

  private async ask(name: string, signal: AbortSignal): Promise<LookupAddress[]> {
    try {
      const { addresses, lifetime } = await queryAddresses(name, signal, this.options)
      if (lifetime > 0) this.known.set(name, addresses, { ttl: lifetime })
      return addresses
    } catch (error) {
      if (error instanceof NameError && !signal.aborted) this.known.set(name, error.code, { ttl: BOUNDS.dns.failure })
      throw error
    }
  }

  /** Waits for a look-up until the signal fires; when the last one leaves, the look-up ends. */
  private join(flight: Flight, signal?: AbortSignal): Promise<LookupAddress[]> {
    flight.waiting += 1
    if (!signal) return flight.answer
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason)
        flight.waiting -= 1
        if (flight.waiting === 0) flight.abandon()
      }
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      flight.answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }
}

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Whether this can be a name, in lower case: labels of letters, digits, - and _, the last of them no number. */
function isHostName(name: string): boolean {
  if (name.length > BOUNDS.dns.name) return false
  const labels = name.split('.')
  // 127.1 and 0x7f.1 are spellings of addresses, which only some resolvers read
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) as string)) return false
  return labels.every((label) => label.length <= BOUNDS.dns.label && /^[a-z0-9_-]+$/.test(label))
}

/**
 * What one bound holds for: the last two labels. Without a list of registries that is too much for names such as
 * x.co.uk, whose neighbours share the bound; it is never too little, so nobody evades it by more names.
 */
function domainOf(name: string): string {
  return name.split('.').slice(-2).join('.')
}
