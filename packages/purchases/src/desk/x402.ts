import { ValidationError } from '@tidegate/protocol'
import { decodePaymentSignatureHeader, encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http'
import { PaymentPayloadV2Schema } from '@x402/core/schemas'
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types'
import { type Address, getAddress, type Hex, isAddress, isHex, size } from 'viem'
import { PURCHASE_LIMITS } from '../limits.js'
import type { Payment, Purchase } from '../purchase.js'
import type { Terms } from './terms.js'

/** The header of a payment. */
export const PAYMENT_HEADER = 'payment-signature'

/** The version of x402 that this service speaks. */
const VERSION = 2

const IDENTIFIER = 'payment-identifier'

/** Seconds for which a payment is valid that a client signs. */
const VALID = 600

/** What `payment-identifier` says of itself, as its extension defines: the client adds an `id`. */
const IDENTIFIER_EXTENSION = {
  info: { required: false },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      required: { type: 'boolean' },
      id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
    },
    required: ['required'],
  },
}

/** What is sold at which URL. */
export interface Resource {
  url: string
  description: string
}

/** Returns the header `PAYMENT-REQUIRED`: what a payment must be. `error`: why the last one was not taken. */
export function paymentRequired(terms: Terms & { payTo: Address }, resource: Resource, error?: string): string {
  const { token, amount, payTo, quoted } = terms
  const accepted: PaymentRequirements = {
    ...{ scheme: 'exact', network: `eip155:${quoted.chainId}`, amount: `${amount}`, asset: token.address, payTo },
    maxTimeoutSeconds: VALID,
    extra: { assetTransferMethod: 'eip3009', name: token.name, version: token.version },
  }
  const required: PaymentRequired = {
    x402Version: VERSION,
    ...(error === undefined ? {} : { error }),
    resource: { ...resource, mimeType: 'application/json' },
    accepts: [accepted],
    extensions: { [IDENTIFIER]: IDENTIFIER_EXTENSION },
  }
  return encodePaymentRequiredHeader(required)
}

/** Returns the header `PAYMENT-RESPONSE` of a purchase that has ended: ordered, or not. */
export function paymentResponse({ payment, state, reason, settleTx }: Purchase): string {
  const isOrdered = state === 'ordered'
  return encodePaymentResponseHeader({
    success: isOrdered,
    ...(isOrdered ? {} : { errorReason: (reason ?? 'PAYMENT_REFUSED').toLowerCase() }),
    transaction: isOrdered ? (settleTx as Hex) : '',
    network: `eip155:${payment.chainId}`,
    payer: payment.payer,
  })
}

/** Returns the header `PAYMENT-RESPONSE` of a payment that was not taken. */
export function refusedResponse({ chainId, payer }: Payment, errorReason: string): string {
  return encodePaymentResponseHeader({
    ...{ success: false, errorReason, transaction: '', network: `eip155:${chainId}`, payer },
  })
}

/** A payment as a client sends it. */
export interface SentPayment {
  payment: Payment
  payTo: Address
  /** The client's own name of the payment, which only it knows. */
  identifier: string | undefined
}

/** Parses the header of a payment. Throws ValidationError, which names the field within. */
export function readPayment(header: string): SentPayment {
  if (header.length > PURCHASE_LIMITS.payment.header) throw wrong('is longer than a payment')
  let decoded: unknown
  try {
    decoded = decodePaymentSignatureHeader(header)
  } catch {
    throw wrong('must be JSON in base64')
  }
  const parsed = PaymentPayloadV2Schema.safeParse(decoded)
  if (!parsed.success)
    throw wrong(`has no valid ${parsed.error.issues[0]?.path.join('.') || 'payment of x402 version 2'}`)
  const { accepted, payload, extensions } = parsed.data
  const { signature, authorization } = payload as { signature?: unknown; authorization?: Record<string, unknown> }
  const chainId = /^eip155:([1-9]\d{0,15})$/.exec(accepted.network)?.[1]
  if (accepted.scheme !== 'exact' || !chainId) throw wrong('has no accepted.scheme "exact" of a network eip155')
  if (typeof authorization !== 'object' || authorization === null) throw wrong('has no payload.authorization')
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const payment: Payment = {
    ...{ chainId: Number(chainId), token: addressIn(accepted.asset, 'accepted.asset') },
    payer: addressIn(from, 'payload.authorization.from'),
    value: numberIn(value, 'payload.authorization.value', 78),
    validAfter: Number(numberIn(validAfter, 'payload.authorization.validAfter', 15)),
    validBefore: Number(numberIn(validBefore, 'payload.authorization.validBefore', 15)),
    nonce: bytesIn(nonce, 'payload.authorization.nonce', 32, 32),
    signature: bytesIn(signature, 'payload.signature', 1, PURCHASE_LIMITS.payment.signature),
  }
  if (payment.value >= 1n << 256n) throw wrong('has no valid payload.authorization.value')
  return { payment, payTo: addressIn(to, 'payload.authorization.to'), identifier: identifierIn(extensions) }
}

function wrong(why: string): ValidationError {
  return ValidationError.of('PAYMENT-SIGNATURE', `The PAYMENT-SIGNATURE header ${why}.`)
}

function addressIn(value: unknown, field: string): Address {
  if (typeof value !== 'string' || !isAddress(value, { strict: false })) throw wrong(`has no address in ${field}`)
  return getAddress(value)
}

function numberIn(value: unknown, field: string, digits: number): bigint {
  if (typeof value !== 'string' || !/^\d+$/.test(value) || value.length > digits)
    throw wrong(`has no whole number in ${field}`)
  return BigInt(value)
}

function bytesIn(value: unknown, field: string, least: number, most: number): Hex {
  if (isHex(value) && value.length % 2 === 0 && size(value) >= least && size(value) <= most)
    return value.toLowerCase() as Hex
  throw wrong(`has no bytes of the right length in ${field}`)
}

function identifierIn(extensions: unknown): string | undefined {
  const extension = (extensions as Record<string, { info?: { id?: unknown } }> | null | undefined)?.[IDENTIFIER]
  const id = extension?.info?.id
  if (id === undefined) return undefined
  if (typeof id === 'string' && /^[\w-]{16,128}$/.test(id)) return id
  throw wrong(`has no valid id of extensions.${IDENTIFIER}`)
}
