import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest, InjectOptions, LightMyRequestResponse } from 'fastify'

/** A request that the service sends to itself for another one. */
interface Inner {
  /** Aborts when its caller gives up. */
  signal: AbortSignal
  /** Whether the limits have counted it: the first one counts as its outer request. */
  isCounted: boolean
}

/** Names an inner request. Its value cannot be guessed. */
const HEADER = 'x-inner-request'

const inFlight = new Map<string, Inner>()

/** Returns the state of an inner request; undefined for requests of clients. */
export function innerOf({ headers }: FastifyRequest): Inner | undefined {
  const id = headers[HEADER]
  return typeof id === 'string' ? inFlight.get(id) : undefined
}

type Send = (options: InjectOptions, signal?: AbortSignal) => Promise<LightMyRequestResponse>

/**
 * Returns a function that sends requests to the service's own routes for `outer`, past the network. They come from the
 * same address, so every check and limit applies. Each counts as a request, the first one as the outer request.
 */
export function innerSender(app: FastifyInstance, outer: FastifyRequest): Send {
  let sent = 0
  const { socket, headers } = outer.raw
  const forwarded = Object.entries(headers).filter(([name]) => name === 'host' || name.startsWith('x-forwarded-'))
  return async (options, signal = outer.lifetime.signal) => {
    const id = randomUUID()
    inFlight.set(id, { signal, isCounted: sent++ === 0 })
    try {
      return await app.inject({
        ...options,
        remoteAddress: socket.remoteAddress ?? outer.ip,
        headers: { ...Object.fromEntries(forwarded), ...options.headers, [HEADER]: id },
      })
    } finally {
      inFlight.delete(id)
    }
  }
}
