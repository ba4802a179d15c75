import type { FastifyRequest } from 'fastify'
import { type Address, getAddress, type Hex, isAddress } from 'viem'
import { z } from 'zod'
import { latestNonce, type Nonce, parseNonce } from '../auth/nonce.js'
import { ValidationError } from '../errors.js'
import { validationError } from '../validation.js'

/** An address as the client wrote it, which is what it signed, and as the service uses it. */
export interface AddressParam {
  text: string
  address: Address
}

/**
 * The parameters of a request, from the query and, where there is a JSON body, from the body; the query wins. What is
 * empty or null counts as not sent. Throws ValidationError by field.
 */
export function readParams<T extends z.ZodObject>(schema: T, request: FastifyRequest): z.output<T> {
  const given = sentParams(request)
  const parsed = schema.safeParse(given)
  if (!parsed.success) throw validationError(parsed.error, given)
  return parsed.data
}

/** Everything that was sent under a name, unchecked. */
export function sentParams(request: FastifyRequest): Record<string, unknown> {
  const body = request.body
  if (body !== undefined && body !== null && (typeof body !== 'object' || Array.isArray(body)))
    throw ValidationError.of('body', 'The body must be a JSON object.')
  const all = { ...(body as object | undefined), ...(request.query as object) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '' && value !== null))
}

/** A scalar in text or number form, as text without NUL bytes. */
const scalar = z
  .union([z.string(), z.number()], 'must be given once, as text or number')
  .transform(String)
  .refine((value) => !value.includes('\0'), 'must not hold a NUL byte')

/** Free text of bounded length. */
export const text = scalar.refine((value) => value.length <= 512, 'must not be longer than 512 characters')

export const address = scalar
  .refine((value) => isAddress(value, { strict: false }), 'must be an address: 0x and 40 hex digits')
  .transform((value): AddressParam => ({ text: value, address: getAddress(value) }))

export const transactionId = scalar
  .refine((value) => /^0x[0-9a-f]{64}$/i.test(value), 'must be a transaction id: 0x and 64 hex digits')
  .transform((value) => value.toLowerCase() as Hex)

/** A whole number from 0 up to what a JSON number holds exactly. */
export const whole = scalar
  .refine((value) => /^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value)), 'must be a whole number from 0')
  .transform(Number)

export const flag = z
  .union([z.boolean(), z.literal('true'), z.literal('false')], 'must be true or false')
  .transform((value) => value === true || value === 'true')

/** A nonce, at most `aheadSeconds` ahead of the clock in microseconds. */
export function nonce(aheadSeconds: number) {
  return scalar.transform((value, context): Nonce => {
    try {
      return parseNonce(value, latestNonce(Date.now(), aheadSeconds))
    } catch (error) {
      context.addIssue((error as Error).message)
      return z.NEVER
    }
  })
}
