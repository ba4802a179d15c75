import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.js'
import { LimitError } from '../errors.js'
import { networkOf } from './address.js'
import type { Transfer, Use } from './byte-budgets.js'

/** Milliseconds that the limits are about. */
const WINDOW = 60_000

/** Paths that are asked by machines of the operator's own, again and again. */
const UNLIMITED = new Set(['/live', '/ready'])

/** What an address had used of its bytes when a download of it was admitted. */
const ADMITTED = new WeakMap<FastifyRequest, Use>()

/**
 * Limits the requests and the bytes of files that one address may have in a minute, counted in the database, so that
 * all instances count together. An address is that of the connection, or what a trusted proxy says. Every request
 * counts, for whatever path.
 */
export function limitUsage(app: FastifyInstance, context: Context): void {
  limitRequests(app, context, ({ method }) => method !== 'OPTIONS')
  const { bytes } = context
  if (!bytes) return
  app.addHook('onRequest', async (request, reply) => {
    if (!isDownload(request)) return
    const use = await bytes.use(bytesOf(request))
    if (use.spent) throw limitRefusal(reply, 'bytes', use.endsIn)
    ADMITTED.set(request, use)
  })
}

/** The same for preflights, which CORS answers by itself: to be called before that is registered. */
export function limitPreflights(app: FastifyInstance, context: Context): void {
  limitRequests(app, context, ({ method }) => method === 'OPTIONS')
}

function limitRequests(app: FastifyInstance, { settings, store }: Context, of: (one: FastifyRequest) => boolean): void {
  const { RATE_LIMIT_REQUESTS: max } = settings
  if (max === 0) return
  app.addHook('onRequest', async (request, reply) => {
    if (!of(request) || isOperators(request)) return
    const { used, endsIn } = await store.usage.add(`requests ${networkOf(request.ip)}`, 1, WINDOW, Date.now())
    if (used > max) throw limitRefusal(reply, 'requests', endsIn)
  })
}

/** Begins the transfer of a file to an address, where its bytes are limited. It ends with the request. */
export function beginTransfer({ bytes }: Context, request: FastifyRequest): Transfer | undefined {
  const transfer = bytes?.begin(bytesOf(request), ADMITTED.get(request))
  if (transfer) request.lifetime.onEnd(transfer.end)
  return transfer
}

/** Whether it is a question of the operator's own machines. */
export function isOperators({ url }: FastifyRequest): boolean {
  return UNLIMITED.has(url.split('?')[0] as string)
}

export function isDownload({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.endsWith('/download') ?? false
}

function bytesOf({ ip }: FastifyRequest): string {
  return `bytes ${networkOf(ip)}`
}

/** The refusal of an address that has had its share of a window, which ends in so many milliseconds. */
export function limitRefusal(reply: FastifyReply, what: 'requests' | 'bytes', endsIn: number): LimitError {
  const seconds = Math.max(1, Math.ceil(endsIn / 1000))
  reply.header('retry-after', seconds)
  return new LimitError('RATE_LIMITED', `Too many ${what} from this address. Try again in ${seconds} seconds.`)
}
