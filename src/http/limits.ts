import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.js'
import { LimitError } from '../errors.js'
import type { UsageStore } from '../state/store.js'
import { networkOf } from './address.js'

/** Milliseconds that the limits are about. */
const WINDOW = 60_000

/** Paths that are asked by machines of the operator's own, again and again. */
const UNLIMITED = new Set(['/live', '/ready'])

/**
 * Limits the requests and the bytes of files that one address may have in a minute, counted in the database, so that
 * all instances count together. An address is that of the connection, or what a trusted proxy says.
 */
export async function limitUsage(app: FastifyInstance, { settings, store }: Context): Promise<void> {
  const { RATE_LIMIT_REQUESTS: requests, RATE_LIMIT_BYTES: bytes } = settings
  if (requests > 0)
    await app.register(rateLimit, {
      max: requests,
      timeWindow: WINDOW,
      store: storeOf(store.usage) as never,
      allowList: isOperators,
      keyGenerator: ({ ip }) => networkOf(ip),
      errorResponseBuilder: (_request, { ttl }) => refusal('requests', ttl),
      addHeadersOnExceeding: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
      addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    })
  if (bytes > 0)
    app.addHook('onRequest', async (request, reply) => {
      if (!isDownload(request)) return
      const { used, endsIn } = await store.usage.used(bytesOf(request), WINDOW, Date.now())
      if (used < bytes) return
      throw limitRefusal(reply, 'bytes', endsIn)
    })
}

/** Counts the bytes that an address was handed. A database that is away does not break a transfer that has ended. */
export function countBytes({ settings, store }: Context, request: FastifyRequest, bytes: number): void {
  if (settings.RATE_LIMIT_BYTES === 0 || bytes === 0) return
  store.usage.add(bytesOf(request), bytes, WINDOW, Date.now()).catch(() => undefined)
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
  reply.header('retry-after', Math.max(1, Math.ceil(endsIn / 1000)))
  return refusal(what, endsIn)
}

function refusal(what: string, endsIn: number): LimitError {
  const seconds = Math.max(1, Math.ceil(endsIn / 1000))
  return new LimitError('RATE_LIMITED', `Too many ${what} from this address. Try again in ${seconds} seconds.`)
}

/** The counter in the form that the plugin wants: a class that it makes by itself. */
function storeOf(usage: UsageStore): new () => FastifyRateLimitStore {
  return class Store implements FastifyRateLimitStore {
    incr(
      key: string,
      callback: (error: Error | null, result?: { current: number; ttl: number }) => void,
      timeWindow: number,
    ): void {
      usage.add(`requests ${key}`, 1, timeWindow, Date.now()).then(
        ({ used, endsIn }) => callback(null, { current: used, ttl: endsIn }),
        (error: Error) => callback(error),
      )
    }

    child(): FastifyRateLimitStore {
      return this
    }
  }
}
