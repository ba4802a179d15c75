import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Settings } from '../config/schema.js'
import { type LimitError, StateError } from '../errors.js'
import { isPrivate, networkOf } from './address.js'
import { InFlight, tooMany } from './caps.js'
import type { Endpoint } from './endpoint.js'
import { limitRefusal } from './limits.js'
import { Windows } from './windows.js'

/** What one address may have of anonymous work in a minute, unless the operator says otherwise. */
const DEFAULT_REQUESTS = 600
const DEFAULT_BYTES = 1_073_741_824
const DEFAULT_IN_FLIGHT = 32

/**
 * Budgets of what anybody may ask without an order: descriptions, quotes, encryption, validation, and requests that
 * are refused. They are counted in this process, and apart from ordered downloads, which never wait behind them.
 */
export class AnonymousBudget {
  private readonly windows = new Windows()
  private readonly inFlight: InFlight
  private readonly requests: number
  private readonly bytes: number

  constructor(private readonly settings: Settings) {
    this.requests = settings.ANONYMOUS_REQUESTS ?? DEFAULT_REQUESTS
    this.bytes = settings.ANONYMOUS_BYTES ?? DEFAULT_BYTES
    this.inFlight = new InFlight(settings.MAX_ANONYMOUS, settings.MAX_ANONYMOUS_PER_ADDRESS ?? DEFAULT_IN_FLIGHT)
  }

  /** Puts the budgets in front of the endpoints that are anybody's. */
  register(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
    const paths = new Set(endpoints.filter(({ anonymous }) => anonymous).map(({ path }) => path))
    app.addHook('onRequest', (request, reply, done) => {
      if (!paths.has(request.routeOptions.url ?? '')) return done()
      done(this.refusalOf(request, reply))
    })
    app.addHook('onResponse', (request, { statusCode }, done) => {
      if (statusCode >= 400 && statusCode < 500 && !paths.has(request.routeOptions.url ?? ''))
        this.windows.add(`requests ${networkOf(request.ip)}`, 1)
      done()
    })
  }

  /** Counts bytes that were read from a storage on behalf of an address. */
  spend({ ip }: FastifyRequest, bytes: number): void {
    this.windows.add(`bytes ${networkOf(ip)}`, bytes)
  }

  /** Throws LimitError where an address has had its bytes of this minute. */
  assertBytesLeft(request: FastifyRequest, reply: FastifyReply): void {
    const { used, endsIn } = this.windows.add(`bytes ${networkOf(request.ip)}`, 0)
    if (this.bytes > 0 && used >= this.bytes && this.isLimited(request, this.settings.ANONYMOUS_BYTES))
      throw limitRefusal(reply, 'bytes', endsIn)
  }

  private refusalOf(request: FastifyRequest, reply: FastifyReply): LimitError | StateError | undefined {
    const { settings } = this
    const { used, endsIn } = this.windows.add(`requests ${networkOf(request.ip)}`, 1)
    if (this.requests > 0 && used > this.requests && this.isLimited(request, settings.ANONYMOUS_REQUESTS))
      return limitRefusal(reply, 'requests', endsIn)
    const refused = this.inFlight.enter(request, this.isLimited(request, settings.MAX_ANONYMOUS_PER_ADDRESS))
    if (refused === 'address')
      return tooMany(reply, 'Too many requests of this address at once. Try again when one has ended.')
    return (
      refused && new StateError('BUSY', 'The provider has as many of these requests in flight as it takes at once.')
    )
  }

  /**
   * Whether a limit by address holds for a request. One that was not set passes over private addresses where no proxy
   * is trusted: there, a proxy that was not named stands for everybody behind it.
   */
  private isLimited({ ip }: FastifyRequest, set: number | undefined): boolean {
    return set !== undefined || this.settings.TRUSTED_PROXIES !== undefined || !isPrivate(ip)
  }
}
