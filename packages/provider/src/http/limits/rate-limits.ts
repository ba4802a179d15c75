import { LimitError } from '@tidegate/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Settings } from '../../config/schema.js'
import type { StateStore } from '../../state/stores.js'
import { networkOf } from './address.js'
import type { BudgetUse, ByteBudgets, Transfer } from './byte-budgets.js'
import { WINDOW } from './windows.js'

/** Where the limits come from, and where usage is counted. */
interface Limits {
  settings: Settings
  store: StateStore
  bytes: ByteBudgets | undefined
}

/** Length of a window in milliseconds. */

/** Health probes: polled by the operator's own machines. */
const UNLIMITED = new Set(['/live', '/ready'])

/** The byte budget of an address at the time a download was admitted. An entry lives as long as its request, so it needs no owner. */
const ADMITTED = new WeakMap<FastifyRequest, BudgetUse>()

/**
 * Limits the requests and the bytes of files per address and minute. Counted in the database, over all instances. The
 * address is that of the connection, or the one that a trusted proxy forwards. Requests to any path count, except probes.
 */
export function registerRateLimits(app: FastifyInstance, limits: Limits): void {
  limitRequests(app, limits, ({ method }) => method !== 'OPTIONS')
  const { bytes } = limits
  if (!bytes) return
  app.addHook('onRequest', async (request, reply) => {
    if (!isDownload(request)) return
    const use = await bytes.use(bytesOf(request))
    if (use.exhausted) throw rateLimitError(reply, 'bytes', use.endsIn)
    ADMITTED.set(request, use)
  })
}

/** Limits CORS preflights. Must be called before CORS is registered, which handles them itself. */
export function registerPreflightLimit(app: FastifyInstance, limits: Limits): void {
  limitRequests(app, limits, ({ method }) => method === 'OPTIONS')
}

function limitRequests(
  app: FastifyInstance,
  { settings, store }: Limits,
  applies: (request: FastifyRequest) => boolean,
): void {
  const { RATE_LIMIT_REQUESTS: max } = settings
  if (max === 0) return
  app.addHook('onRequest', async (request, reply) => {
    if (!applies(request) || isHealthProbe(request)) return
    const { used, endsIn } = await store.usage.add(`requests ${networkOf(request.ip)}`, 1, WINDOW, Date.now())
    if (used > max) throw rateLimitError(reply, 'requests', endsIn)
  })
}

/** Starts a transfer on the byte budget of the address, if bytes are limited. It ends with the request. */
export function beginTransfer({ bytes }: Pick<Limits, 'bytes'>, request: FastifyRequest): Transfer | undefined {
  const transfer = bytes?.begin(bytesOf(request), ADMITTED.get(request))
  if (transfer) request.lifetime.onEnd(transfer.end)
  return transfer
}

/** Returns whether a request is a health probe. */
export function isHealthProbe({ url }: FastifyRequest): boolean {
  const end = url.indexOf('?')
  return UNLIMITED.has(end < 0 ? url : url.slice(0, end))
}

/** Returns whether a request is to a route that sends files. */
export function isDownload({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config?.sendsFile ?? false
}

function bytesOf({ ip }: FastifyRequest): string {
  return `bytes ${networkOf(ip)}`
}

/** Returns the error for an address that exceeded a limit, with Retry-After. `endsIn`: milliseconds until the window ends. */
export function rateLimitError(reply: FastifyReply, what: 'requests' | 'bytes', endsIn: number): LimitError {
  const seconds = Math.max(1, Math.ceil(endsIn / 1000))
  reply.header('retry-after', seconds)
  return new LimitError('RATE_LIMITED', `Too many ${what} from this address. Try again in ${seconds} seconds.`)
}
