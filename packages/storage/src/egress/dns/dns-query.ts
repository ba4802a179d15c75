import { promises as dns, type LookupAddress, type RecordWithTtl } from 'node:dns'
import { STORAGE_LIMITS } from '../../limits.js'

/** A look-up failed, or the name has no address. The message omits the name, which is part of a file's location. */
export class DnsError extends Error {
  constructor(
    readonly code: 'ENOTFOUND' | 'EAI_AGAIN' | 'ETIMEDOUT' | 'DNS_BUSY' | 'ECANCELLED',
    message = 'The name was not resolved.',
  ) {
    super(message)
  }
}

/** The addresses of a name, IPv4 first, and their time to live in milliseconds. */
export interface ResolvedAddresses {
  addresses: LookupAddress[]
  lifetime: number
}

export interface QueryOptions {
  /** Name servers with ports. Default: those of the system. */
  servers?: readonly string[]
  /** Milliseconds per look-up, and attempts per name server. Default: STORAGE_LIMITS.dns. */
  deadline?: number
  attempts?: number
}

interface FamilyResult {
  family: 4 | 6
  records: RecordWithTtl[]
  /** Error code if there are no records. */
  failure?: string
}

/**
 * Queries the A and AAAA records of a name concurrently. Uses a new resolver, so that the look-up can be cancelled alone and
 * has an unpredictable source port. Rejects with DnsError, at the deadline at the latest, or with the signal's reason.
 */
export async function queryAddresses(
  name: string,
  signal: AbortSignal,
  { servers, deadline = STORAGE_LIMITS.dns.deadline, attempts = STORAGE_LIMITS.dns.attempts }: QueryOptions,
): Promise<ResolvedAddresses> {
  const resolver = new dns.Resolver({ timeout: STORAGE_LIMITS.dns.attemptTimeout, tries: attempts })
  if (servers) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  const timers = [setTimeout(cancel, deadline)]
  signal.addEventListener('abort', cancel, { once: true })
  const families = [
    settled(4, resolver.resolve4(name, { ttl: true })),
    settled(6, resolver.resolve6(name, { ttl: true })),
  ]
  // some name servers never answer AAAA queries, so the second family has a shorter deadline
  for (const family of families)
    void family.then(
      ({ records }) => records.length > 0 && timers.push(setTimeout(cancel, STORAGE_LIMITS.dns.otherFamilyGrace)),
    )
  try {
    const results = await Promise.all(families)
    signal.throwIfAborted()
    return merged(results)
  } finally {
    for (const timer of timers) clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}

function settled(family: 4 | 6, query: Promise<RecordWithTtl[]>): Promise<FamilyResult> {
  return query.then(
    (records) => ({ family, records: records.slice(0, STORAGE_LIMITS.dns.addresses) }),
    ({ code = '' }: NodeJS.ErrnoException) => ({ family, records: [], failure: code }),
  )
}

/** Codes for a name without such an address; other codes are failures of a name server. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA'])
const TIMED_OUT = new Set(['ETIMEOUT', 'ECANCELLED'])

function merged(results: FamilyResult[]): ResolvedAddresses {
  const failures = results.flatMap(({ failure = 'ENODATA', records }) => (records.length > 0 ? [] : [failure]))
  const records = results.flatMap(({ family, records }) => records.map((record) => ({ ...record, family })))
  if (records.length === 0) {
    if (failures.every((code) => ABSENT.has(code))) throw new DnsError('ENOTFOUND')
    throw new DnsError(failures.some((code) => TIMED_OUT.has(code)) ? 'ETIMEDOUT' : 'EAI_AGAIN')
  }
  // a partial result is cached as long as a failure
  const limit = failures.every((code) => ABSENT.has(code))
    ? STORAGE_LIMITS.dns.maxTimeToLive
    : STORAGE_LIMITS.dns.failureTimeToLive
  const lifetime = Math.min(limit, ...records.map(({ ttl }) => ttl * 1000))
  return { addresses: records.map(({ address, family }) => ({ address, family })), lifetime }
}
