import { countIn, fieldsOf } from '@tidegate/protocol/values'
import { type Hex, isHash } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { exchange } from './exchange.js'
import { paymentHeader } from './payment.js'
import { differs } from './price.js'
import { failureIn, requiredIn } from './required.js'
import type { Payment, Wanted } from './types.js'

/** An order as the provider tells it: nothing of it is checked on the chain. */
export interface ToldOrder {
  order: Hex
  /** What went back, in the token's smallest unit. */
  refunded: bigint
  purchaseId?: Hex
  link?: { url: string; expires: Date }
  /** The receipt of the answer, not checked. */
  receipt: unknown
  validUntil?: Date
}

/**
 * What a provider says of a payment. `failed`: it says that it did not take the payment, or gave it back by `refund`. `changed`: it asks for another price or account.
 * `refused`: it declines the request with a code. `unknown`: anything else may have happened.
 */
export type Outcome =
  | ({ kind: 'ordered' } & ToldOrder)
  | { kind: 'failed'; reason: string; refund: Hex | undefined }
  | { kind: 'changed' }
  | { kind: 'refused' | 'unknown'; why: TidegateError }

/** Statuses below 500 that say nothing of the payment: time-outs, and limits on requests. */
const TEMPORARY = new Set([408, 425, 429])

/** Sends a payment. Throws only the signal's reason. */
export async function sendPayment(
  context: Context,
  wanted: Wanted,
  payment: Payment,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const { status, headers, body } = await exchange(context, wanted, { payment: paymentHeader(payment), signal })
    const fields = fieldsOf(body)
    if (status === 200) return ordered(fields, payment) ?? unknown('has no order', status)
    if (status !== 402) {
      const retryAfter = Number(/^\d{1,9}$/.exec(headers.get('retry-after') ?? '')?.[0] ?? 0)
      return unknown('is not decided yet', status, retryAfter)
    }
    const reason = failureIn(headers)
    if (reason !== undefined) return { kind: 'failed', reason, refund: hashIn(fields.refundTxId) }
    const required = requiredIn(headers, payment.chainId)
    if (required && differs(required, payment)) return { kind: 'changed' }
    return unknown('asks for a payment again', status)
  } catch (error) {
    signal.throwIfAborted()
    const why = error as TidegateError
    const { status = 0, code } = why
    const isRefusal = status >= 400 && status < 500 && !TEMPORARY.has(status) && code !== 'HTTP_ERROR'
    return { kind: isRefusal ? 'refused' : 'unknown', why }
  }
}

function unknown(what: string, status: number, retryAfter = 0): Outcome {
  return { kind: 'unknown', why: new TidegateError('BAD_ANSWER', `The answer ${what}.`, { status, retryAfter }) }
}

/** Returns the order of an answer; undefined if it has none of this payer. */
function ordered(fields: Record<string, unknown>, { units, from }: Payment): Outcome | undefined {
  const { id, transferTxId, consumer, refunded, link, validUntil, receipt } = fields
  const order = hashIn(transferTxId)
  if (!order || String(consumer).toLowerCase() !== from.toLowerCase()) return undefined
  const back = typeof refunded === 'string' && /^\d{1,78}$/.test(refunded) ? BigInt(refunded) : 0n
  const { url, expires } = fieldsOf(link)
  const end = dateOf(validUntil)
  const purchaseId = hashIn(id)
  const linkEnd = dateOf(expires)
  return {
    kind: 'ordered',
    order,
    refunded: back < units ? back : units,
    receipt,
    ...(purchaseId ? { purchaseId } : {}),
    ...(typeof url === 'string' && /^https?:\/\//.test(url) && linkEnd ? { link: { url, expires: linkEnd } } : {}),
    ...(end ? { validUntil: end } : {}),
  }
}

function hashIn(value: unknown): Hex | undefined {
  return typeof value === 'string' && isHash(value) ? value : undefined
}

/** Returns the time of seconds since 1970; undefined if there are none. */
function dateOf(seconds: unknown): Date | undefined {
  const date = new Date(countIn(seconds) * 1000)
  return countIn(seconds) > 0 && Number.isFinite(date.getTime()) ? date : undefined
}
