import type { Readable } from 'node:stream'
import { type Outcome, type Trace, untraced } from '@tidegate/common'
import type { Lookup } from '@tidegate/protocol/addresses'
import { LRUCache } from 'lru-cache'
import { STORAGE_LIMITS } from '../limits.js'
import type { Budget, RequestContext } from '../storage.js'
import { unreachable } from '../storage-failures.js'
import { ChainCookies } from './chain-cookies.js'
import { ConnectionPool, type PoolLimits } from './connection-pool.js'
import { guardedConnector, pinnedAddress, type ResolveOptions } from './connector.js'
import { Destinations } from './destinations.js'
import { NameResolver } from './dns/name-resolver.js'
import type { EgressRequest } from './egress-request.js'
import { exchange, type UpstreamResponse } from './exchange.js'
import { failureOf, OUTCOMES } from './failures.js'
import { type DestinationPolicy, isAllowed, isAllowedHost, isAllowedPort } from './policy.js'
import { type CheckedRequest, locationOf, redirected } from './redirects.js'
import { type RequestUrl, redirectUrl, requestUrl } from './request-url.js'
import { ContentDecoder, contentCodings, withoutCoding } from './responses/content-codings.js'
import { retryOnReset } from './retry.js'

export interface EgressOptions {
  allowNonPublic: boolean
  /** Milliseconds to connect, until the response begins, and between two bytes. */
  connectTimeout: number
  responseTimeout: number
  stallTimeout: number
  limits: Record<Budget, PoolLimits>
  policy: DestinationPolicy
  /** Origins of the operator's gateways. Default: none. */
  gateways?: ReadonlySet<string>
  /** Called with the outcome of each request when its headers arrive or it fails. A status from 500 on counts as failed. */
  onOutcome?: (outcome: Outcome, host: HostClass) => void
  /** Wraps each request in a span. */
  trace?: Trace
  /** Default: a NameResolver. */
  lookup?: Lookup
  /** Forbidden addresses and networks (CIDR). */
  deniedNetworks?: readonly string[]
  /** Certificate authorities (PEM) for protocols other than HTTP. Default: those that Node trusts. */
  ca?: string
}

/** The kind of a request's first host: a gateway of the operator, or a host from a publisher. */
export type HostClass = 'gateway' | 'publisher'

export interface EgressResponse extends UpstreamResponse {
  /** The final URL, after redirects. */
  url: URL
}

/** The destination of a protocol that opens its own sockets. */
export interface PinnedDestination {
  /** The checked address. */
  address: string
  port: number
  /** Milliseconds to connect, until the response begins, and between two bytes. */
  connectTimeout: number
  responseTimeout: number
  stallTimeout: number
  /** Certificate authorities (PEM); undefined: those that Node trusts. */
  ca: string | undefined
  /** Releases the slot in the budget. Call it when the connection has ended, successfully or not. */
  release(): void
}

/** The only exit for file requests, to allowed destinations only. */
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

  inFlight(budget: Budget): number {
    return this.pools[budget].active
  }

  /**
   * Sends a request and follows a few redirects, checking every hop. Resolves when the headers arrive. Rejects with
   * StorageError, whose fixed message does not reveal the location of the file.
   */
  request(request: EgressRequest): Promise<EgressResponse> {
    const { trace = untraced } = this.options
    return trace('ask storage', { 'http.request.method': request.method }, () => this.follow(request))
  }

  private async follow(request: EgressRequest): Promise<EgressResponse> {
    const { method, headers, body, secret, signal, budget, fetched, pace } = request
    const { url, target } = this.cachedUrl(request.url)
    // field by field: V8 is slow to add properties to the copy of an object
    let current: CheckedRequest = { url, target, method, headers, body, secret, signal, budget, fetched, pace }
    const cookies = new ChainCookies()
    // a gateway chooses its own redirects
    const host = this.options.gateways?.has(current.url.origin) ? 'gateway' : 'publisher'
    for (let hop = 0; hop <= STORAGE_LIMITS.files.redirects; hop++) {
      const response = await this.send(current, cookies.header(current, current.headers.cookie), host)
      const location = locationOf(response)
      if (location === undefined) return finalResponse(response, current)
      discard(response.body)
      cookies.store(response.headers['set-cookie'], current)
      current = redirected(current, response.status, this.checked(redirectUrl(location, current)))
    }
    throw unreachable()
  }

  /** Removes content codings from a response with a whole body. Rejects with StorageError if the body cannot be decoded. */
  async decoded(response: EgressResponse, budget: Budget): Promise<EgressResponse> {
    const codings = contentCodings(response.headers)
    if (codings.length === 0) return response
    const body = await this.decoder.decode(response, codings, budget)
    return { ...response, headers: withoutCoding(response.headers), body }
  }

  /** Bytes of memory reserved for the decoders of a budget. */
  decoderMemory(budget: Budget): number {
    return this.decoder.memoryInUse(budget)
  }

  /**
   * Resolves a URL of another protocol to a checked address. Acquires a slot in the budget, which the caller must release.
   * @throws StorageError if the destination is not allowed, or the budget has no free slot
   */
  async pin(url: URL, defaultPort: number, { signal, budget, pace }: RequestContext): Promise<PinnedDestination> {
    const { policy, connectTimeout, responseTimeout, stallTimeout, ca } = this.options
    const port = Number(url.port || defaultPort)
    if (!isAllowedHost(url.hostname, policy) || (url.port !== '' && !isAllowedPort(port, policy))) throw unreachable()
    await pace?.(url.hostname)
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

  /** Like `checked`, but cached, since the policy does not change. */
  private cachedUrl(text: string): RequestUrl {
    let url = this.urls.get(text)
    if (!url) {
      url = this.checked(requestUrl(text))
      this.urls.set(text, url)
    }
    return url
  }

  /** Returns an allowed URL. A forbidden one gets the same error as an unreachable host. */
  private checked(url: RequestUrl | undefined): RequestUrl {
    if (!url || !isAllowed(url.url, this.options.policy)) throw unreachable()
    return url
  }

  async close(): Promise<void> {
    this.names.close()
    await Promise.all(Object.values(this.pools).map(({ agent }) => agent.destroy()))
  }

  private async send(request: CheckedRequest, cookie: string | undefined, host: HostClass): Promise<UpstreamResponse> {
    const { url, target: path, method, headers, body, signal, budget, fetched, pace } = request
    const { onOutcome, responseTimeout: timeout } = this.options
    const pool = this.pools[budget]
    // 'identity', since a decoded body has neither length nor ranges
    const sentHeaders = { 'user-agent': 'tidegate', accept: '*/*', ...headers, 'accept-encoding': 'identity' }
    if (cookie !== undefined) Object.assign(sentHeaders, { cookie })
    const sent = { origin: url.origin, path, method, headers: sentHeaders, body: body ?? null }
    const { agent: dispatcher } = pool
    const send = async () => {
      const onEnd = await pool.acquire(url.hostname, signal)
      return exchange(sent, { dispatcher, signal, timeout, onEnd, fetched })
    }
    try {
      await pace?.(url.hostname)
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

function finalResponse({ status, headers, body }: UpstreamResponse, { url }: RequestUrl): EgressResponse {
  return { status, headers, body, url }
}

/** Destroys a body that is not needed, in any state. */
export function discard(body: Readable): void {
  body.on('error', () => undefined)
  body.destroy()
}
