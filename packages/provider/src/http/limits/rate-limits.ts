import type { FastifyInstance, FastifyRequest } from 'fastify'
import { innerOf } from '../mcp/inner-requests.js'
import { networkOf } from './address.js'
import type { BudgetUse, ByteBudgets, Transfer } from './byte-budgets.js'
import { rateLimited } from './retry-later.js'
import type { UsageStore } from './usage-table.js'
import { WINDOW } from './windows.js'

/** Limits per address and minute. */
export interface RateLimits {
  /** Requests; 0: no limit. */
  maxRequests: number
  usage: UsageStore
  /** Undefined if bytes are unlimited. */
  bytes: ByteBudgets | undefined
}

/** Health probes, which come from machines of the operator. */
const UNLIMITED = new Set(['/live', '/ready'])

/** Use of the byte budget when a download was admitted. An entry lives as long as its request. */
const ADMITTED = new WeakMap<FastifyRequest, BudgetUse>()

/**
 * Limits requests and file bytes per address and minute, over all instances. The address is that of the connection, or
 * the one that a trusted proxy forwards. All paths count, except probes.
 */
export function registerRateLimits(app: FastifyInstance, limits: RateLimits): void {
  limitRequests(app, limits, ({ method }) => method !== 'OPTIONS')
  const { bytes } = limits
  if (!bytes) return
  app.addHook('onRequest', async (request) => {
    if (!request.routeOptions.config?.sendsFile) return
    const use = await bytes.use(bytesOf(request))
    if (use.exhausted) throw rateLimited('bytes', use.endsIn)
    ADMITTED.set(request, use)
  })
}

/** Limits CORS preflights. Must be called before CORS is registered, which answers them. */
export function registerPreflightLimit(app: FastifyInstance, limits: RateLimits): void {
  limitRequests(app, limits, ({ method }) => method === 'OPTIONS')
}

function limitRequests(
  app: FastifyInstance,
  { maxRequests, usage }: RateLimits,
  applies: (request: FastifyRequest) => boolean,
): void {
  if (maxRequests === 0) return
  app.addHook('onRequest', async (request) => {
    if (!applies(request) || isHealthProbe(request) || innerOf(request)?.isCounted) return
    const { used, endsIn } = await usage.add(`requests ${networkOf(request.ip)}`, 1, WINDOW, Date.now())
    if (used > maxRequests) throw rateLimited('requests', endsIn)
  })
}

/** Starts a transfer on the byte budget of the address, if bytes are limited. It ends with the request. */
export function beginTransfer(bytes: ByteBudgets | undefined, request: FastifyRequest): Transfer | undefined {
  const transfer = bytes?.begin(bytesOf(request), ADMITTED.get(request))
  if (transfer) request.lifetime.onEnd(transfer.end)
  return transfer
}

/** Returns whether a request is a health probe. */
export function isHealthProbe({ url }: FastifyRequest): boolean {
  const end = url.indexOf('?')
  return UNLIMITED.has(end < 0 ? url : url.slice(0, end))
}

/** Returns whether the route of a request sends files that are sold. */
export function isDownload({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config?.sendsFile === 'sold'
}

function bytesOf({ ip }: FastifyRequest): string {
  return `bytes ${networkOf(ip)}`
}
