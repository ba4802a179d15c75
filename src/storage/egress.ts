import type { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { Agent } from 'undici'
import { StorageError } from '../errors.js'
import type { Outcome } from '../metrics/metrics.js'
import { type Trace, untraced } from '../tracing.js'
import { askAgain, isTimeout } from './again.js'
import { guardedConnector, type Lookup, pinnedAddress, type Way } from './connector.js'
import { Destinations } from './destinations.js'
import { type Answer, exchange } from './exchange.js'
import { type DestinationPolicy, isAllowed, isAllowedHost, isAllowedPort } from './policy.js'
import { NameResolver } from './resolver.js'

export interface EgressOptions {
  allowNonPublic: boolean
  /** Milliseconds to connect, until the answer begins, and without a byte in the middle. */
  connectTimeout: number
  responseTimeout: number
  stallTimeout: number
  /** Most connections to one host; further requests wait for one. */
  maxPerHost: number
  /** Most requests at once in all, until their bodies have ended; further ones are turned away. */
  maxRequests: number
  policy: DestinationPolicy
  /** Told how each request ended: with headers, or without. */
  onOutcome?: (outcome: Outcome) => void
  /** Puts each request under a span. */
  trace?: Trace
  /** In place of a resolver of its own. */
  lookup?: Lookup
  /** Addresses and networks (CIDR) that are never connected to. */
  deniedNetworks?: readonly string[]
}

export interface EgressRequest {
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

/** The one way out: every request for a file leaves through here, to public http(s) destinations alone. */
export class Egress {
  private readonly agent: Agent
  private readonly known = new LRUCache<string, URL>({ max: REMEMBERED })
  private readonly names = new NameResolver()
  private readonly way: Way
  private active = 0

  constructor(private readonly options: EgressOptions) {
    const { connectTimeout: timeout, lookup = this.names.lookup } = options
    this.way = { destinations: new Destinations(options), lookup }
    this.agent = new Agent({
      connect: guardedConnector({ ...this.way, timeout }),
      headersTimeout: options.responseTimeout,
      bodyTimeout: options.stallTimeout,
      connections: options.maxPerHost,
      pipelining: 1,
    })
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
   * Where to connect for a URL of another protocol: the checked address, the port, and how many milliseconds it may
   * take. Throws StorageError where files may not be fetched from there.
   */
  async pinned(url: URL, defaultPort: number): Promise<{ address: string; port: number; connectTimeout: number }> {
    const { policy, connectTimeout } = this.options
    const port = Number(url.port || defaultPort)
    if (!isAllowedHost(url.hostname, policy) || (url.port !== '' && !isAllowedPort(port, policy))) throw refused()
    try {
      // the brackets of IPv6 belong to the URL, not to the address
      return { address: await pinnedAddress(url.hostname, this.way), port, connectTimeout }
    } catch {
      throw refused()
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
    await this.agent.destroy()
  }

  private async send({ url, method, headers, body }: Checked): Promise<Answer> {
    const { maxRequests, onOutcome } = this.options
    if (this.active >= maxRequests) {
      onOutcome?.('busy')
      throw new StorageError(
        'STORAGE_BUSY',
        'This provider fetches as many files as it can at once. Try again in a moment.',
      )
    }
    const request = {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      // the bytes are handed on as they are, so no coding that only the two ends of this hop would understand
      headers: { 'user-agent': 'tidegate', ...headers, 'accept-encoding': 'identity' },
      body: body ?? null,
    }
    const ask = () => {
      this.active += 1
      return exchange(this.agent, request, () => {
        this.active -= 1
      })
    }
    try {
      const answer = await (method === 'POST' ? ask() : askAgain(ask))
      onOutcome?.('ok')
      return answer
    } catch (error) {
      onOutcome?.(isTimeout(error) ? 'timeout' : 'failed')
      throw isTimeout(error)
        ? new StorageError('STORAGE_TIMEOUT', 'The storage of this file did not answer in time.')
        : refused()
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

function refused(): StorageError {
  return new StorageError('STORAGE_REFUSED', 'The storage of this file cannot be reached.')
}
