import type { Caller } from '@tidegate/catalog'
import { type LimitError, StateError } from '@tidegate/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AnonymousCaller } from '../../access/files/describe-files.js'
import type { Settings } from '../../config/schema.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import { innerOf } from '../mcp/inner-requests.js'
import { onRequestEnd } from '../request-end.js'
import { isPrivate, networkOf } from './address.js'
import { ConcurrencyLimiter } from './concurrency.js'
import { rateLimited, tooManyInFlight } from './retry-later.js'
import { RateWindows } from './windows.js'

/** A caller that may leave while its hits are sent. */
export type SearchCaller = Caller & { signal: AbortSignal }

const { defaults: DEFAULTS } = PROVIDER_LIMITS.anonymous

/** The fields of an endpoint that decide whether it is limited. */
interface Limited {
  path: string
  anonymous?: boolean
}

const anonymousPaths = (endpoints: readonly Limited[]) =>
  new Set(endpoints.filter(({ anonymous }) => anonymous).map(({ path }) => path))

/**
 * Limits requests without an order: descriptions, quotes, encryption, validation, and refused requests. Counts per
 * process. Paid downloads are separate and never wait for these requests.
 */
export class AnonymousBudget {
  private readonly windows = new RateWindows()
  private readonly inFlight: ConcurrencyLimiter
  private readonly requests: number
  private readonly bytes: number

  constructor(private readonly settings: Settings) {
    this.requests = settings.ANONYMOUS_REQUESTS ?? DEFAULTS.requests
    this.bytes = settings.ANONYMOUS_BYTES ?? DEFAULTS.bytes
    this.inFlight = new ConcurrencyLimiter(
      settings.MAX_ANONYMOUS,
      settings.MAX_ANONYMOUS_PER_ADDRESS ?? DEFAULTS.inFlight,
    )
  }

  /**
   * Counts refused requests to all other endpoints. A request also counts if its client leaves before the response. Must
   * be called before the hooks that refuse requests.
   */
  countRefused(app: FastifyInstance, endpoints: readonly Limited[]): void {
    const paths = anonymousPaths(endpoints)
    app.addHook('onRequest', (request, reply, done) => {
      if (!paths.has(request.routeOptions.url ?? ''))
        onRequestEnd(request, reply, ({ status }) => {
          if (status >= 400 && status < 500) this.windows.add(`requests ${networkOf(request.ip)}`, 1)
        })
      done()
    })
  }

  /** Enforces the limits of anonymous endpoints. */
  register(app: FastifyInstance, endpoints: readonly Limited[]): void {
    const paths = anonymousPaths(endpoints)
    app.addHook('onRequest', (request, _reply, done) => {
      if (!paths.has(request.routeOptions.url ?? '') || innerOf(request)?.isCounted) return done()
      done(this.refusalOf(request))
    })
  }

  /** Returns the caller of a request, with a deadline for descriptions. */
  caller(request: FastifyRequest, milliseconds: number): AnonymousCaller {
    let files = 0
    return {
      deadline: request.lifetime.deadline(milliseconds),
      countFile: () => {
        if (++files % (PROVIDER_LIMITS.fileinfo.listed + 1) === 0) this.countMore(request, 1)
      },
      spend: (bytes) => this.spend(request, bytes),
      assertBytesLeft: () => this.assertBytesLeft(request),
    }
  }

  /** Returns the caller of a search, with a share of the places unless address limits spare it. */
  searcher(request: FastifyRequest): SearchCaller {
    const isLimited = this.isLimited(request, this.settings.MAX_ANONYMOUS_PER_ADDRESS)
    return { signal: request.lifetime.signal, client: isLimited ? networkOf(request.ip) : undefined }
  }

  /** Counts a request that asks for as much as so many more. */
  countMore({ ip }: FastifyRequest, requests: number): void {
    this.windows.add(`requests ${networkOf(ip)}`, requests)
  }

  /** Counts bytes read from a storage for a request. */
  spend({ ip }: FastifyRequest, bytes: number): void {
    this.windows.add(`bytes ${networkOf(ip)}`, bytes)
  }

  /** Throws LimitError if the address has no bytes left in this window. */
  assertBytesLeft(request: FastifyRequest): void {
    const { used, endsIn } = this.windows.add(`bytes ${networkOf(request.ip)}`, 0)
    if (this.bytes > 0 && used >= this.bytes && this.isLimited(request, this.settings.ANONYMOUS_BYTES))
      throw rateLimited('bytes', endsIn)
  }

  private refusalOf(request: FastifyRequest): LimitError | StateError | undefined {
    const { settings } = this
    const { used, endsIn } = this.windows.add(`requests ${networkOf(request.ip)}`, 1)
    if (this.requests > 0 && used > this.requests && this.isLimited(request, settings.ANONYMOUS_REQUESTS))
      return rateLimited('requests', endsIn)
    // the outer request has its place
    if (innerOf(request)) return undefined
    const { ip, lifetime } = request
    const isLimited = this.isLimited(request, settings.MAX_ANONYMOUS_PER_ADDRESS)
    const refused = this.inFlight.enter(networkOf(ip), lifetime, isLimited)
    if (refused === 'own')
      return tooManyInFlight('Too many requests in flight from this address. Try again when one has ended.')
    return refused && new StateError('BUSY', 'The provider has reached its limit of such requests in flight.')
  }

  /**
   * Whether an address limit applies to a request. Default limits spare private addresses unless TRUSTED_PROXIES is set:
   * a private address may be an unconfigured proxy of many clients.
   */
  private isLimited({ ip }: FastifyRequest, configured: number | undefined): boolean {
    return configured !== undefined || this.settings.TRUSTED_PROXIES !== undefined || !isPrivate(ip)
  }
}
