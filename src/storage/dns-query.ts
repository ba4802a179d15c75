import { promises as dns, type LookupAddress, type RecordWithTtl } from 'node:dns'
import { BOUNDS } from '../bounds.js'

/** A name has no address, or it could not be found out. Its words are fixed: the name is a part of a file's location. */
export class NameError extends Error {
  constructor(
    readonly code: 'ENOTFOUND' | 'EAI_AGAIN' | 'ETIMEDOUT' | 'DNS_BUSY' | 'ECANCELLED',
    message = 'The name was not resolved.',
  ) {
    super(message)
  }
}

/** The addresses of a name, IPv4 first, and for how many milliseconds they may be remembered. */
export interface FoundAddresses {
  addresses: LookupAddress[]
  lifetime: number
}

export interface QueryOptions {
  /** Name servers, with ports, in place of the system's. */
  servers?: readonly string[]
  /** Milliseconds for one look-up, and how often each name server is asked, in place of the usual bounds. */
  deadline?: number
  tries?: number
}

interface FamilyAnswer {
  family: 4 | 6
  records: RecordWithTtl[]
  /** Why there are none. */
  failure?: string
}

/**
 * Asks for A and AAAA of a name at once, by a resolver of its own: so each look-up can be cancelled by itself, and
 * sends from a port that nobody guesses. Rejects with NameError, at the latest at the deadline, or with the reason of
 * the signal.
 */
export async function queryAddresses(
  name: string,
  signal: AbortSignal,
  { servers, deadline = BOUNDS.dns.deadline, tries = BOUNDS.dns.tries }: QueryOptions,
): Promise<FoundAddresses> {
  const resolver = new dns.Resolver({ timeout: BOUNDS.dns.attempt, tries })
  if (servers) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  const timers = [setTimeout(cancel, deadline)]
  signal.addEventListener('abort', cancel, { once: true })
  const families = [
    settled(4, resolver.resolve4(name, { ttl: true })),
    settled(6, resolver.resolve6(name, { ttl: true })),
  ]
  // some name servers never answer questions for IPv6: that must not cost the whole deadline
  for (const family of families)
    void family.then(({ records }) => records.length > 0 && timers.push(setTimeout(cancel, BOUNDS.dns.otherFamily)))
  try {
    const answers = await Promise.all(families)
    signal.throwIfAborted()
    return together(answers)
  } finally {
    for (const timer of timers) clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}

function settled(family: 4 | 6, asked: Promise<RecordWithTtl[]>): Promise<FamilyAnswer> {
  return asked.then(
    (records) => ({ family, records: records.slice(0, BOUNDS.dns.addresses) }),
    ({ code = '' }: NodeJS.ErrnoException) => ({ family, records: [], failure: code }),
  )
}

/** Says that there is no such address, as against a name server that failed. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA'])
const LATE = new Set(['ETIMEOUT', 'ECANCELLED'])

function together(answers: FamilyAnswer[]): FoundAddresses {
  const failures = answers.flatMap(({ failure = 'ENODATA', records }) => (records.length > 0 ? [] : [failure]))
  const records = answers.flatMap(({ family, records }) => records.map((record) => ({ ...record, family })))
  if (records.length === 0) {
    if (failures.every((code) => ABSENT.has(code))) throw new NameError('ENOTFOUND')
    throw new NameError(failures.some((code) => LATE.has(code)) ? 'ETIMEDOUT' : 'EAI_AGAIN')
  }
  // half an answer is kept no longer than a failure
  const most = failures.every((code) => ABSENT.has(code)) ? BOUNDS.dns.success : BOUNDS.dns.failure
  const lifetime = Math.min(most, ...records.map(({ ttl }) => ttl * 1000))
  return { addresses: records.map(({ address, family }) => ({ address, family })), lifetime }
}
