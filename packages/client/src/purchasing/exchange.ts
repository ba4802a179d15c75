import type { Context } from '../context.js'
import type { Answer } from '../http/answer.js'
import { wholeAnswer } from '../http/whole-answer.js'
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
  const { request: time, body: most } = LIMITS.purchasing
  const sent = {
    path: '/api/services/purchase',
    query: { documentId: did, serviceId: service, fileIndex: file, acceptTerms: terms },
    headers: payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment },
    accepts: [402],
  }
  const { status, headers, text } = await wholeAnswer(api, sent, { time, most, signal })
  return { status, headers, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
