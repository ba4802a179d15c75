import type { FastifyRequest } from 'fastify'
import { type Address, getAddress, type Hex } from 'viem'
import { z } from 'zod'
import { latestNonce, type Nonce, parseNonce } from '../auth/nonce.js'
import { BOUNDS } from '../bounds.js'
import { ValidationError } from '../errors.js'
import { parsedBy, validationError } from '../validation.js'
import { documented, fieldDoc } from './docs.js'

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
  const parsed = parsedBy(schema, given)
  if (!parsed.success) throw validationError(parsed.error, given)
  return parsed.data
}

/** Everything that was sent under a name, unchecked. */
export function sentParams(request: FastifyRequest): Record<string, unknown> {
  const body = request.body
  if (body !== undefined && body !== null && (typeof body !== 'object' || Array.isArray(body)))
    throw ValidationError.of('body', 'The body must be a JSON object.')
  const sent: Record<string, unknown> = Object.create(null)
  for (const part of [body, request.query] as (Record<string, unknown> | undefined | null)[])
    for (const name in part) {
      const value = part[name]
      if (value !== '' && value !== null) sent[name] = value
      else delete sent[name]
    }
  return sent
}

/**
 * What is sent once, as text or number, read from its text in one step: the parameters of each request pass here.
 * `read` throws an Error whose words go on from "The … field".
 */
function sentOnce<T>(read: (text: string) => T) {
  return z.unknown().transform((value, context): T => {
    try {
      if (typeof value !== 'string' && typeof value !== 'number')
        throw new Error('must be given once, as text or number')
      const text = String(value)
      if (text.includes('\0')) throw new Error('must not hold a NUL byte')
      return read(text)
    } catch (error) {
      context.addIssue((error as Error).message)
      return z.NEVER
    }
  })
}

/** Text that is no longer than so many characters. */
function upTo(length: number) {
  return sentOnce((value) => {
    if (value.length > length) throw new Error(`must not be longer than ${length} characters`)
    return value
  })
}

/** Text of a form. */
function formed<T>(form: RegExp, problem: string, read: (text: string) => T) {
  return sentOnce((value) => {
    if (!form.test(value)) throw new Error(problem)
    return read(value)
  })
}

/** Free text of bounded length. */
export const text = documented(upTo(512), {
  schema: { type: 'string', minLength: 1, maxLength: 512 },
  description: 'Text.',
  example: 'tide-access',
})

/** A token, or what is taken for one: long, and never shown. */
export const tokenText = documented(upTo(4096), {
  schema: { type: 'string', minLength: 1, maxLength: 4096 },
  description: 'The auth token (a JWT).',
  example: 'eyJhbGciOiJIUzI1NiJ9.eyJhZGRyZXNzIjoiMHgifQ.c2ln',
})

/** Most characters of a signature: each byte takes two after 0x. */
const MAX_SIGNATURE = 2 + 2 * BOUNDS.contract.signature

/** A signature, or what is taken for one: contract wallets say themselves what is one. */
export const signatureText = documented(upTo(MAX_SIGNATURE), {
  schema: { type: 'string', minLength: 1, maxLength: MAX_SIGNATURE },
  description: 'Signature, as hex.',
  example: `0x${'00'.repeat(65)}`,
})

/** Bytes as hex. */
export const hexBytes = documented(
  z
    .string('must be hex')
    .refine((value) => /^0x(?:[0-9a-f]{2})*$/i.test(value), 'must be hex, two digits a byte after 0x')
    .transform((value) => value.toLowerCase() as Hex),
  { schema: { type: 'string', pattern: '^0x(?:[0-9a-fA-F]{2})*$' }, description: 'Bytes as hex.', example: '0x04' },
)

/** The flags of a document: a small number, or the same as hex. */
export const flags = documented(
  formed(/^(?:0x[0-9a-f]{1,2}|[01]?\d{1,2}|2[0-4]\d|25[0-5])$/i, 'must be a number from 0 to 255', (value): Hex => {
    return `0x${Number(value).toString(16).padStart(2, '0')}`
  }),
  {
    schema: { type: ['integer', 'string'], minimum: 0, maximum: 255, pattern: '^(?:0x[0-9a-fA-F]{1,2}|[0-9]{1,2})$' },
    description: 'Bit 1: compressed (xz or lzma); bit 2: encrypted.',
    example: 2,
  },
)

export const address = documented(
  formed(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hex digits', (value): AddressParam => {
    return { text: value, address: getAddress(value) }
  }),
  {
    schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
    description: 'Ethereum address, in any case.',
    example: '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260',
  },
)

export const transactionId = documented(
  formed(/^0x[0-9a-f]{64}$/i, 'must be a transaction id: 0x and 64 hex digits', (value) => value.toLowerCase() as Hex),
  {
    schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' },
    description: '32 bytes of hex: a transaction id, or a hash.',
    example: `0x${'ab'.repeat(32)}`,
  },
)

/** A whole number from 0 up to what a JSON number holds exactly. */
export const whole = documented(
  formed(/^\d{1,16}$/, 'must be a whole number from 0', (value) => {
    if (!Number.isSafeInteger(Number(value))) throw new Error('must be a whole number from 0')
    return Number(value)
  }),
  {
    schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    description: 'A whole number.',
    example: 0,
  },
)

export const flag = documented(
  z
    .union([z.boolean(), z.literal('true'), z.literal('false')], 'must be true or false')
    .transform((value) => value === true || value === 'true'),
  { schema: { type: 'boolean' }, description: 'true or false.', example: true },
)

/** A nonce, at most `aheadSeconds` ahead of the clock in microseconds. */
export function nonce(aheadSeconds: number) {
  return documented(
    sentOnce((value): Nonce => parseNonce(value, latestNonce(Date.now(), aheadSeconds))),
    {
      schema: { type: ['number', 'string'], exclusiveMinimum: 0, pattern: '^[0-9]{1,20}(?:[.][0-9]{1,20})?$' },
      description:
        'Decimal number above the last one that the address used; the UTC time in milliseconds is a good choice.',
      example: 1,
    },
  )
}

/** A validator with a description of its own in one place of use. */
export function described<T extends z.ZodType>(field: T, description: string, example?: unknown): T {
  const doc = fieldDoc(field)
  return documented(field.clone() as T, { ...doc, description, example: example ?? doc.example })
}
