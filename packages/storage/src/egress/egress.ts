import type { Readable } from 'node:stream'
import { type Outcome, type Trace, untraced } from '@tidegate/common'
import { LRUCache } from 'lru-cache'
import { STORAGE_LIMITS } from '../limits.js'
import type { Budget, RequestContext } from '../storage.js'
import { unreachable } from '../storage-failures.js'
import { ChainCookies } from './chain-cookies.js'
import { ConnectionPool, type PoolLimits } from './connection-pool.js'
import { guardedConnector, type Lookup, pinnedAddress, type ResolveOptions } from './connector.js'
import { ContentDecoder, contentCodings, withoutCoding } from './content-codings.js'
import { Destinations } from './destinations.js'
import { NameResolver } from './dns/name-resolver.js'
import type { EgressRequest } from './egress-request.js'
import { exchange, type UpstreamResponse } from './exchange.js'
import { failureOf, OUTCOMES } from './failures.js'
import { type DestinationPolicy, isAllowed, isAllowedHost, isAllowedPort } from './policy.js'
import { type CheckedRequest, locationOf, redirected } from './redirects.js'
import { type RequestUrl, redirectUrl, requestUrl } from './request-url.js'
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

/** The owner of a request's first host: a gateway of the operator, or a host that a publisher names. */
export type HostClass = 'gateway' | 'publisher'

export interface EgressResponse extends UpstreamResponse {
  /** The final URL, after redirects. */
  url: URL
}

/** The destination of a protocol that opens its own socket. */
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
  private readonly urls = new LRUCache<string, RequestUrl>({
    max: STORAGE_LIMITS.files.urlCacheEntries,
    maxSize: STORAGE_LIMITS.files.urlCacheSize,
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
   * Rejects with StorageError, whose message is fixed: details of a failure would reveal the location of the file.
   */
  request(request: EgressRequest): Promise<EgressResponse> {
    const { trace = untraced } = this.options
    return trace('ask storage', { 'http.request.method': request.method }, () => this.follow(request))
  }

  private async follow(request: EgressRequest): Promise<EgressResponse> {
    const { url: text, ...others } = request
    let current: CheckedRequest = { ...others, ...this.cachedUrl(text) }
    const cookies = new ChainCookies()
    // a gateway chooses its own redirects
    const host = this.options.gateways?.has(current.url.origin) ? 'gateway' : 'publisher'
    for (let hop = 0; hop <= STORAGE_LIMITS.files.redirects; hop++) {
      const cookie = cookies.header(current, current.headers.cookie)
      const headers = cookie === undefined ? current.headers : { ...current.headers, cookie }
      const response = await this.send({ ...current, headers }, host)
      const location = locationOf(response)
      if (location === undefined) return { ...response, url: current.url }
      discard(response.body)
      cookies.store(response.headers['set-cookie'], current)
      current = redirected(current, response.status, this.checked(redirectUrl(location, current)))
    }
    throw unreachable()
  }

  /**
   * Returns a response with a whole body as if the storage had sent it without the content codings that nobody asked
   * for: without the length and the range of the coded form. Rejects with StorageError if it cannot be decoded.
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
   * must release. Throws StorageError if the destination is not allowed, or the budget has no free slot.
   */
  async pin(url: URL, defaultPort: number, { signal, budget }: RequestContext): Promise<PinnedDestination> {
    const { policy, connectTimeout, responseTimeout, stallTimeout, ca } = this.options
    const port = Number(url.port || defaultPort)
    if (!isAllowedHost(url.hostname, policy) || (url.port !== '' && !isAllowedPort(port, policy))) throw unreachable()
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
  private cachedUrl(text: string): RequestUrl {
    let url = this.urls.get(text)
    if (!url) {
      url = this.checked(requestUrl(text))
      this.urls.set(text, url)
    }
    return url
  }

  /** Returns an allowed URL. Any other is refused with the same message as an unreachable host. */
  private checked(url: RequestUrl | undefined): RequestUrl {
    if (!url || !isAllowed(url.url, this.options.policy)) throw unreachable()
    return url
  }

  async close(): Promise<void> {
    this.names.close()
    await Promise.all(Object.values(this.pools).map(({ agent }) => agent.destroy()))
  }

  private async send(request: CheckedRequest, host: HostClass): Promise<UpstreamResponse> {
    const { url, target: path, method, headers, body, signal, budget, fetched } = request
    const { onOutcome, responseTimeout: timeout } = this.options
    const pool = this.pools[budget]
    const sent = {
      origin: url.origin,
      path,
      method,
      // a decoded body has neither length nor ranges
      headers: { 'user-agent': 'tidegate', accept: '*/*', ...headers, 'accept-encoding': 'identity' },
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
