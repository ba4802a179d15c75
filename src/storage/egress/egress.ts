import type { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { BOUNDS } from '../../bounds.js'
import type { Outcome } from '../../outcome.js'
import { type Trace, untraced } from '../../process/tracing.js'
import type { Budget, RequestContext } from '../storage.js'
import { ConnectionPool, type PoolLimits } from './connection-pool.js'
import { guardedConnector, type Lookup, pinnedAddress, type ResolveOptions } from './connector.js'
import { ContentDecoder, contentCodings, withoutCoding } from './content-codings.js'
import { Destinations } from './destinations.js'
import { exchange, type UpstreamResponse } from './exchange.js'
import { failureOf, OUTCOMES, refused } from './failures.js'
import { type DestinationPolicy, isAllowed, isAllowedHost, isAllowedPort } from './policy.js'
import { NameResolver } from './resolver.js'
import { retryOnReset } from './retry.js'

export interface EgressOptions {
  allowNonPublic: boolean
  /** Milliseconds to connect, until the response begins, and between two bytes of it. */
  connectTimeout: number
  responseTimeout: number
  stallTimeout: number
  /** Limits on the requests in flight of each budget. */
  limits: Record<Budget, PoolLimits>
  policy: DestinationPolicy
  /** Origins of the operator's gateways; every other host is one that a publisher names. Default: none. */
  gateways?: ReadonlySet<string>
  /**
   * Called with the outcome of each request, as soon as its headers have arrived or it has failed. An answer with a
   * status from 500 on counts as failed.
   */
  onOutcome?: (outcome: Outcome, host: HostClass) => void
  /** Wraps each request in a span. */
  trace?: Trace
  /** Default: a NameResolver. */
  lookup?: Lookup
  /** Addresses and networks (CIDR) that are never connected to. */
  deniedNetworks?: readonly string[]
  /** Certificate authorities (PEM) in place of those that Node trusts, for protocols other than HTTP. */
  ca?: string
}

/** Whose host a request began at: a gateway that the operator has configured, or a host that a publisher names. */
export type HostClass = 'gateway' | 'publisher'

export interface EgressRequest extends Omit<RequestContext, 'userdata'> {
  url: string
  method: 'GET' | 'HEAD' | 'POST'
  /** Names in lower case. */
  headers: Record<string, string>
  body?: string
  /** Names of headers that come from the publisher and are never sent to another origin. */
  secret?: ReadonlySet<string>
}

export interface EgressResponse extends UpstreamResponse {
  /** The final URL, after redirects. */
  url: URL
}

/** A request whose URL is allowed. */
type Checked = Omit<EgressRequest, 'url'> & { url: URL }

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Where to connect for a protocol that opens its own socket. */
export interface PinnedDestination {
  /** The checked address. */
  address: string
  port: number
  /** Milliseconds to connect, until the response begins, and between two bytes of it. */
  connectTimeout: number
  responseTimeout: number
  stallTimeout: number
  /** Certificate authorities (PEM) in place of those that Node trusts. */
  ca: string | undefined
  /** Releases the slot in the budget. Must be called when the connection has ended, successfully or not. */
  release(): void
}

/** The only exit: every request for a file goes through here, and only to allowed http(s) destinations. */
export class Egress {
  private readonly pools: Record<Budget, ConnectionPool>
  private readonly urls = new LRUCache<string, URL>({
    max: BOUNDS.files.urlCacheEntries,
    maxSize: BOUNDS.files.urlCacheSize,
    sizeCalculation: (_url, text) => text.length,
  })
  private readonly names = new NameResolver()
  private readonly decoder = new ContentDecoder()
  private readonly resolution: ResolveOptions

  constructor(private readonly options: EgressOptions) {
    const { connectTimeout: timeout, lookup = this.names.lookup, limits, responseTimeout, stallTimeout } = options
    this.resolution = { destinations: new Destinations(options), lookup }
    const connect = guardedConnector({ ...this.resolution, timeout })
    const pool = (budget: Budget) => new ConnectionPool({ connect, responseTimeout, stallTimeout, ...limits[budget] })
    this.pools = { paid: pool('paid'), anonymous: pool('anonymous') }
  }

  /** Requests in flight by budget. */
  inFlight(budget: Budget): number {
    return this.pools[budget].active
  }

  /**
   * Sends a request and follows a few redirects, checking every hop. Resolves as soon as the headers have arrived.
   * Rejects with StorageError, whose message is fixed: details of a failure would reveal where the file is.
   */
  request(request: EgressRequest): Promise<EgressResponse> {
    const { trace = untraced } = this.options
    return trace('ask storage', { 'http.request.method': request.method }, () => this.follow(request))
  }

  private async follow(request: EgressRequest): Promise<EgressResponse> {
    const { method, headers, body, secret, signal, budget, fetched } = request
    let current: Checked = { url: this.cachedUrl(request.url), method, headers, body, secret, signal, budget, fetched }
    // where a gateway redirects to is up to the gateway
    const host = this.options.gateways?.has(current.url.origin) ? 'gateway' : 'publisher'
    for (let hop = 0; hop <= BOUNDS.files.redirects; hop++) {
      const { status, headers, body } = await this.send(current, host)
      const { location } = headers
      if (!REDIRECTS.has(status) || typeof location !== 'string') return { status, headers, body, url: current.url }
      discard(body)
      current = redirected(current, status, this.checked(location, current.url))
    }
    throw refused()
  }

  /**
   * Returns a response with a whole body as if the storage had sent it without the content codings that nobody asked
   * for: without the length and the range of the coded form. Rejects with StorageError where it cannot be decoded.
   */
  async decoded(response: EgressResponse, budget: Budget): Promise<EgressResponse> {
    const codings = contentCodings(response.headers)
    if (codings.length === 0) return response
    const body = await this.decoder.decode(response, codings, budget)
    return { ...response, headers: withoutCoding(response.headers), body }
  }

  /** Memory that is reserved for decoders of a budget, in bytes. */
  decoderMemory(budget: Budget): number {
    return this.decoder.memoryInUse(budget)
  }

  /**
   * Resolves a URL of another protocol to the address to connect to. Acquires a slot in the budget, which the caller
   * must release. Throws StorageError where the destination is not allowed, or the budget has no free slot.
   */
  async pin(url: URL, defaultPort: number, { signal, budget }: RequestContext): Promise<PinnedDestination> {
    const { policy, connectTimeout, responseTimeout, stallTimeout, ca } = this.options
    const port = Number(url.port || defaultPort)
    if (!isAllowedHost(url.hostname, policy) || (url.port !== '' && !isAllowedPort(port, policy))) throw refused()
    const release = this.pools[budget].tryAcquire(url.hostname)
    try {
      // the brackets of IPv6 belong to the URL, not to the address
      const address = await pinnedAddress(url.hostname, this.resolution, signal)
      return { address, port, connectTimeout, responseTimeout, stallTimeout, ca, release }
    } catch (error) {
      release()
      throw failureOf(error, signal)
    }
  }

  /** Like `checked`, cached: files are requested repeatedly, and the policy does not change. */
  private cachedUrl(text: string): URL {
    let url = this.urls.get(text)
    if (!url) {
      url = this.checked(text)
      this.urls.set(text, url)
    }
    return url
  }

  /** Parses an allowed URL. Any other is refused with the same message as an unreachable host. */
  private checked(text: string, base?: URL): URL {
    const url = URL.canParse(text, base?.href) ? new URL(text, base?.href) : undefined
    if (!url || !isAllowed(url, this.options.policy)) throw refused()
    return url
  }

  async close(): Promise<void> {
    this.names.close()
    await Promise.all(Object.values(this.pools).map(({ agent }) => agent.destroy()))
  }

  private async send(request: Checked, host: HostClass): Promise<UpstreamResponse> {
    const { url, method, headers, body, signal, budget, fetched } = request
    const { onOutcome, responseTimeout: timeout } = this.options
    const pool = this.pools[budget]
    const sent = {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      // a decoded body has neither length nor ranges
      headers: { 'user-agent': 'tidegate', ...headers, 'accept-encoding': 'identity' },
      body: body ?? null,
    }
    const { agent: dispatcher } = pool
    const send = async () => {
      const onEnd = await pool.acquire(url.hostname, signal)
      return exchange(sent, { dispatcher, signal, timeout, onEnd, ...(fetched ? { fetched } : {}) })
    }
    try {
      const response = await (method === 'POST' ? send() : retryOnReset(send, signal))
      onOutcome?.(response.status < 500 ? 'ok' : 'failed', host)
      return response
    } catch (error) {
      const failure = failureOf(error, signal)
      onOutcome?.(OUTCOMES[failure.code] ?? 'failed', host)
      throw failure
    }
  }
}

/** Destroys a body that is not needed, in any state. */
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
  // a body may hold secrets of the publisher as well: it is sent to the first origin only
  return { ...request, url, method, headers, body: downgraded || crossed ? undefined : request.body }
}
