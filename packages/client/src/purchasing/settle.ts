import { shortAddress } from '@tidegate/protocol/values'
import type { Hex } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { pause, pauseBefore } from '../http/retry.js'
import { LIMITS } from '../limits.js'
import { hasOrder, type PaymentUse, refundIn, useOf } from './facts.js'
import type { Kept } from './kept.js'
import { type Outcome, sendPayment, type ToldOrder } from './outcome.js'
import { authorizationOf } from './payment.js'
import type { Payment, Wanted } from './types.js'

interface SettleOptions {
  onStep: ((step: string) => void) | undefined
  signal: AbortSignal
}

/**
 * Sends one payment until its outcome is known, and signs nothing. Only an order that the chain shows, a refund that it shows, or the end of
 * an unused authorization end the purchase; otherwise the payment stays kept. Throws TidegateError `PAYMENT_REFUSED`,
 * `PAYMENT_EXPIRED`, `PURCHASE_REFUNDED`, `PAYMENT_UNCERTAIN`, and a refusal of the provider; the signal's reason.
 */
export async function settle(
  context: Context,
  wanted: Wanted,
  { payment, forget }: Kept,
  { onStep, signal }: SettleOptions,
): Promise<ToldOrder> {
  const end = Date.now() + LIMITS.purchasing.most
  for (let attempt = 1; ; attempt++) {
    const outcome = await sendPayment(context, wanted, payment, signal)
    if (outcome.kind === 'ordered' && (await orNothing(hasOrder(context, wanted, outcome.order)))) {
      // one that stays is sent again, and gets the same order
      await forget().catch(() => undefined)
      return outcome
    }
    const use = await orNothing(useOf(context, payment))
    const failure = await failureOf(context, payment, outcome, use)
    if (failure?.isFinal) await forget().catch(() => undefined)
    if (failure) throw failure.error
    signal.throwIfAborted()
    if (Date.now() > end) throw uncertain(payment, 'The provider does not say what became of the payment.')
    const why = outcome.kind === 'unknown' ? outcome.why : undefined
    onStep?.(`Repeat the same payment: ${why?.message ?? 'the chain does not show the order yet.'}`)
    await pause(pauseBefore(attempt, why), signal)
  }
}

/** Whether a kept payment can never be used. False if the chain does not say so. */
export async function isVoid(context: Context, payment: Payment): Promise<boolean> {
  const use = await orNothing(useOf(context, payment))
  return use?.isOver === true && !use.isUsed
}

/** The end of a purchase without an order. `isFinal`: a new payment may be signed. */
interface Failed {
  error: TidegateError
  isFinal: boolean
}

/** Returns how a purchase has failed; undefined if the same payment must be sent again. */
async function failureOf(
  context: Context,
  payment: Payment,
  outcome: Outcome,
  use: PaymentUse | undefined,
): Promise<Failed | undefined> {
  const authorization = authorizationOf(payment)
  const made = (code: string, message: string, isFinal: boolean) => ({
    error: new TidegateError(code, message, { authorization }),
    isFinal,
  })
  if (use?.isOver && !use.isUsed)
    return made(
      'PAYMENT_EXPIRED',
      'The provider did not take the payment in time. It has expired: nothing was paid.',
      true,
    )
  const isOpen = `Nothing was paid yet. ${named(payment)} No other one is signed before.`
  switch (outcome.kind) {
    case 'failed': {
      const { reason, refund } = outcome
      // without the chain's word, the payment may have been used
      if (!use) return undefined
      if (!use.isUsed) return made('PAYMENT_REFUSED', `The payment was not taken: ${wordsOf(reason)}. ${isOpen}`, false)
      const back = refund && (await orNothing(refundIn(context, payment, refund)))
      if (back !== undefined && back >= payment.units)
        return made('PURCHASE_REFUNDED', `It was not bought: ${wordsOf(reason)}. All was paid back by ${refund}.`, true)
      return {
        error: uncertain(
          payment,
          `The provider says that it failed: ${wordsOf(reason)}.${partOf(payment, back)}`,
          refund,
        ),
        isFinal: false,
      }
    }
    case 'changed':
      return {
        error: uncertain(payment, 'The provider has got the payment, and asks for another price or account now.'),
        isFinal: false,
      }
    case 'refused': {
      const { code, message, status, fields } = outcome.why
      if (!use || use.isUsed) return undefined
      const error = new TidegateError(code, `${message} ${isOpen}`, { status, fields, authorization })
      return { error, isFinal: false }
    }
    default:
      return undefined
  }
}

/** Says how much of a payment went back: a datatoken that could not be ordered with is not refunded. */
const partOf = ({ units }: Payment, back: bigint | undefined) =>
  back
    ? ` Of ${units} smallest units of the token, ${back} went back; \`buy\` uses the datatoken if you have got it.`
    : ''

function uncertain(payment: Payment, why: string, refund?: Hex): TidegateError {
  const { token, payTo, nonce } = payment
  const sentence = `The money may be at ${payTo}: ask the operator of the provider, and look at the token ${token} for the authorization ${nonce}.`
  return new TidegateError('PAYMENT_UNCERTAIN', `${why} ${sentence} No other payment is signed.`, {
    authorization: authorizationOf(payment),
    transactions: refund ? [refund] : [],
  })
}

/** "The authorization 0x12…ab can be used until …" */
const named = ({ nonce, validBefore }: Payment) =>
  `The authorization ${shortAddress(nonce)} can be used until ${new Date(validBefore * 1000).toISOString().replace(/\.\d+Z$/, 'Z')}.`

/** Frequent reasons of x402 and of the provider in words. */
const REASONS: Readonly<Record<string, string>> = {
  insufficient_funds: 'the account does not hold enough of the token',
  invalid_exact_evm_payload_authorization_value: 'the price has risen',
  invalid_exact_evm_payload_authorization_valid_before: 'its time has passed, or the clock of this device is wrong',
  invalid_exact_evm_payload_authorization_valid_after: 'the clock of the provider is wrong',
  price_changed: 'the price has risen',
  not_for_sale: 'it is not for sale now',
  denied: 'the account may not buy it',
}

const wordsOf = (reason: string) => REASONS[reason] ?? reason

/** Returns undefined if a read of the chain fails: then nothing is known. */
async function orNothing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (error instanceof TidegateError) return undefined
    throw error
  }
}
