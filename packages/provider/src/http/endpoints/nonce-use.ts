import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ProvenConsumer, SignedConsumer } from '../../auth/authenticate.js'

/**
 * When a route consumes the nonce of a signature. `first`: as soon as the signature is verified, also if the request is refused
 * afterwards: a refusal is expensive, or the signature would be good for another route. `last`: after all checks and before the work,
 * so that a refused request can be repeated with the same signature. `none`: the route takes no signature.
 */
export type NonceTime = 'first' | 'last' | 'none'

/** The nonces of one request. Proofs of a consumer add theirs; only `withNonce` makes one. */
export class NonceUse {
  private waiting: SignedConsumer[] = []

  constructor(private readonly time: 'first' | 'last') {}

  /** Whether nonces are consumed before any work, so that a look-up before the signature is verified saves nothing. */
  get isFirst(): boolean {
    return this.time === 'first'
  }

  /** Takes the nonce of a consumer. Throws as `consumeNonce` if it is consumed at once. */
  async take(signed: SignedConsumer): Promise<ProvenConsumer> {
    if (this.isFirst) await signed.consumeNonce()
    else this.waiting.push(signed)
    return signed.consumer
  }

  /** Leaves the nonces that were taken unused: the request only reads, and another one with the same signature may follow. */
  spare(): void {
    this.waiting = []
  }

  /** Consumes the nonces that were taken and not consumed yet. Throws as `consumeNonce`. */
  async consume(): Promise<void> {
    const taken = this.waiting
    this.waiting = []
    for (const signed of taken) await signed.consumeNonce()
  }
}

/** Handles a request, with the nonces of its proofs. */
type Handler<Request, Result> = (request: Request, reply: FastifyReply, nonces: NonceUse) => Promise<Result>

/**
 * Creates the handler of a route that takes signatures. The handler of a route that consumes nonces last checks the request, and returns
 * its work, which runs when the nonces are consumed.
 */
export function withNonce<Result, Request = FastifyRequest>(
  time: 'first',
  handler: Handler<Request, Result>,
): (request: Request, reply: FastifyReply) => Promise<Result>
export function withNonce<Result, Request = FastifyRequest>(
  time: 'last',
  handler: Handler<Request, () => Promise<Result>>,
): (request: Request, reply: FastifyReply) => Promise<Result>
export function withNonce(time: 'first' | 'last', handler: Handler<FastifyRequest, unknown>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const nonces = new NonceUse(time)
    const result = await handler(request, reply, nonces)
    if (nonces.isFirst) return result
    await nonces.consume()
    return (result as () => Promise<unknown>)()
  }
}
