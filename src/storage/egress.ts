import type { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { BOUNDS } from '../bounds.js'
import { StorageError } from '../errors.js'
import type { Outcome } from '../metrics/metrics.js'
import { type Trace, untraced } from '../tracing.js'
import { askAgain, isTimeout } from './again.js'
import { guardedConnector, type Lookup, pinnedAddress, type Way } from './connector.js'
import { Destinations } from './destinations.js'
import { type Answer, exchange } from './exchange.js'
import { busy, Lane, type LaneLimits } from './lane.js'
import { type DestinationPolicy, isAllowed, isAllowedHost, isAllowedPort } from './policy.js'
import { NameResolver } from './resolver.js'
import type { Asking, Budget } from './storage.js'

export interface EgressOptions {
  allowNonPublic: boolean
  /** Milliseconds to connect, until the answer begins, and without a byte in the middle. */
  connectTimeout: number
  responseTimeout: number
  stallTimeout: number
  /** What each budget may have in flight. */
  limits: Record<Budget, LaneLimits>
  policy: DestinationPolicy
  /** Told how each request ended: with headers, or without. */
  onOutcome?: (outcome: Outcome) => void
  /** Puts each request under a span. */
  trace?: Trace
  /** In place of a resolver of its own. */
  lookup?: Lookup
  /** Addresses and networks (CIDR) that are never connected to. */
  deniedNetworks?: readonly string[]
  /** Certificates (PEM) in place of those that Node trusts, for protocols with sockets of their own. */
  ca?: string
}

export interface EgressRequest extends Omit<Asking, 'userdata'> {
  url: string
  method: 'GET' | 'HEAD' | 'POST'
  /** Names in lower case. */
  headers: Record<string, string>
  body?: string
  /** The header names among `headers` that are the publisher's, and never go to another origin. */
  secret?: ReadonlySet<string>
}

export interface EgressResponse extends Answer {
  /** Where the answer came from, after redirects. */
  url: URL
}

/** A request whose URL may be asked. */
type Checked = Omit<EgressRequest, 'url'> & { url: URL }

/** URLs that are remembered as checked. */
const REMEMBERED = 1000

const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Where to connect for a protocol that opens its own socket. */
export interface PinnedDestination {
  /** The address that was checked. */
  address: string
  port: number
  /** Milliseconds to connect, until the answer begins, and without a byte in the middle. */
  connectTimeout: number
  responseTimeout: number
  stallTimeout: number
  /** Certificates (PEM) in place of those that Node trusts. */
  ca: string | undefined
  /** Gives the place in the budget back; to be called when the connection has ended, whatever became of it. */
  release(): void
}

/** The one way out: every request for a file leaves through here, to public http(s) destinations alone. */
export class Egress {
  private readonly lanes: Record<Budget, Lane>
  private readonly known = new LRUCache<string, URL>({
    max: REMEMBERED,
    maxSize: BOUNDS.files.remembered,
    sizeCalculation: (_url, text) => text.length,
  })
  private readonly names = new NameResolver()
  private readonly way: Way

  constructor(private readonly options: EgressOptions) {
    const { connectTimeout: timeout, lookup = this.names.lookup, limits, responseTimeout, stallTimeout } = options
    this.way = { destinations: new Destinations(options), lookup }
    const connect = guardedConnector({ ...this.way, timeout })
    const lane = (budget: Budget) => new Lane({ connect, responseTimeout, stallTimeout, ...limits[budget] })
    this.lanes = { paid: lane('paid'), anonymous: lane('anonymous') }
  }

  /** Requests in flight by budget. */
  inFlight(budget: Budget): number {
    return this.lanes[budget].active
  }

  /**
   * Sends a request, follows a few redirects with every hop checked, and answers as soon as the headers are there.
   * Throws StorageError; its words are fixed, since what went wrong in detail tells where the file is.
   */
  request(request: EgressRequest): Promise<EgressResponse> {
    const { trace = untraced } = this.options
    return trace('ask storage', { 'http.request.method': request.method }, () => this.follow(request))
  }

  private async follow(request: EgressRequest): Promise<EgressResponse> {
    let current: Checked = { ...request, url: this.asked(request.url) }
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const { status, headers, body } = await this.send(current)
      const { location } = headers
      if (!REDIRECTS.has(status) || typeof location !== 'string') return { status, headers, body, url: current.url }
      discard(body)
      current = redirected(current, status, this.checked(location, current.url))
    }
    throw refused()
  }

  /**
   * Where to connect for a URL of another protocol. Takes a place in the budget, which the caller has to release.
   * Throws StorageError where files may not be fetched from there, or the budget is spent.
   */
  async pinned(url: URL, defaultPort: number, { signal, budget }: Asking): Promise<PinnedDestination> {
    const { policy, connectTimeout, responseTimeout, stallTimeout, ca } = this.options
    const port = Number(url.port || defaultPort)
    if (!isAllowedHost(url.hostname, policy) || (url.port !== '' && !isAllowedPort(port, policy))) throw refused()
    const release = this.lanes[budget].enter(url.hostname)
    try {
      // the brackets of IPv6 belong to the URL, not to the address
      const address = await pinnedAddress(url.hostname, this.way, signal)
      return { address, port, connectTimeout, responseTimeout, stallTimeout, ca, release }
    } catch (error) {
      release()
      throw failureOf(error, signal)
    }
  }

  /** The URL of a file, which is asked for again and again: the policy does not change. */
  private asked(text: string): URL {
    let url = this.known.get(text)
    if (!url) {
      url = this.checked(text)
      this.known.set(text, url)
    }
    return url
  }

  /** A URL that may be asked; anything else is refused in the same words as an unreachable host. */
  private checked(text: string, base?: URL): URL {
    const url = URL.canParse(text, base?.href) ? new URL(text, base?.href) : undefined
    if (!url || !isAllowed(url, this.options.policy)) throw refused()
    return url
  }

  async close(): Promise<void> {
    this.names.close()
    await Promise.all(Object.values(this.lanes).map(({ agent }) => agent.destroy()))
  }

  private async send({ url, method, headers, body, signal, budget, fetched }: Checked): Promise<Answer> {
    const { onOutcome, responseTimeout: timeout } = this.options
    const lane = this.lanes[budget]
    const request = {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      // the bytes are handed on as they are, so no coding that only the two ends of this hop would understand
      headers: { 'user-agent': 'tidegate', ...headers, 'accept-encoding': 'identity' },
      body: body ?? null,
    }
    const { agent: dispatcher } = lane
    const ask = async () => {
      const onEnd = await lane.turn(url.hostname, signal)
      return exchange(request, { dispatcher, signal, timeout, onEnd, ...(fetched ? { fetched } : {}) })
    }
    try {
      const answer = await (method === 'POST' ? ask() : askAgain(ask, signal))
      onOutcome?.('ok')
      return answer
    } catch (error) {
      const failure = failureOf(error, signal)
      onOutcome?.(OUTCOMES[failure.code] ?? 'failed')
      throw failure
    }
  }
}

/** Ends a body that nobody wants, whatever state it is in. */
export function discard(body: Readable): void {
  body.on('error', () => undefined)
  body.destroy()
}

function redirected(request: Checked, status: number, url: URL): Checked {
  const downgraded = status === 303 || (request.method === 'POST' && (status === 301 || status === 302))
  const crossed = url.origin !== request.url.origin
  const headers = crossed
    ? Object.fromEntries(Object.entries(request.headers).filter(([name]) => !request.secret?.has(name)))
    : request.headers
  const method = downgraded && request.method !== 'HEAD' ? 'GET' : request.method
  // a body may hold what the publisher keeps secret as well: it goes to the first origin alone
  return { ...request, url, method, headers, body: downgraded || crossed ? undefined : request.body }
}

const OUTCOMES: Record<string, Outcome> = { STORAGE_BUSY: 'busy', STORAGE_TIMEOUT: 'timeout' }

/** What went wrong, in fixed words: busy, too late, or out of reach. */
function failureOf(error: unknown, signal: AbortSignal): StorageError {
  if (error instanceof StorageError) return error
  if ((error as { code?: string }).code === 'DNS_BUSY') return busy()
  if (signal.aborted || isTimeout(error))
    return new StorageError('STORAGE_TIMEOUT', 'The storage of this file did not answer in time.')
  return refused()
}

function refused(): StorageError {
  return new StorageError('STORAGE_REFUSED', 'The storage of this file cannot be reached.')
}
