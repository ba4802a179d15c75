import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Answer } from '../http/answer.js'
import { boundedText } from '../http/body.js'
import { deadline, tooSlow } from '../http/deadline.js'
import { LIMITS } from '../limits.js'
import type { Wanted } from './types.js'

/** A whole response of the endpoint that sells orders. */
export interface Exchanged {
  status: number
  headers: Answer['headers']
  /** Undefined if the body is no JSON. */
  body: unknown
}

/**
 * Sends a request to the endpoint that sells orders, with a payment if there is one. Reads the whole response within limits of size and
 * time. Throws TidegateError like `Api.send`, except for 402.
 */
export async function exchange(
  { api }: Context,
  { did, service, file, terms }: Pick<Wanted, 'did' | 'service' | 'file' | 'terms'>,
  { payment, signal }: { payment?: string; signal?: AbortSignal | undefined } = {},
): Promise<Exchanged> {
  const { request, body } = LIMITS.purchasing
  const limit = deadline(signal, request, tooSlow(request))
  try {
    const answer = await api.send({
      path: '/api/services/purchase',
      query: { documentId: did, serviceId: service, fileIndex: file, acceptTerms: terms },
      headers: payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment },
      timeout: request,
      signal: limit.signal,
      accepts: [402],
    })
    return { status: answer.status, headers: answer.headers, body: parsed(await boundedText(answer, body)) }
  } catch (error) {
    if (limit.signal.aborted) throw limit.signal.reason
    if (error instanceof TidegateError) throw error
    throw new TidegateError('UNREACHABLE', "The provider's response broke off.")
  } finally {
    limit.end()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
