import { COMMON_LIMITS } from '@tidegate/common'
import { memoizedText, safeParse, ValidationError, validationError } from '@tidegate/protocol'
import type { FastifyRequest } from 'fastify'
import { type Address, getAddress, type Hex } from 'viem'
import * as z from 'zod'
import { maxNonce, type Nonce, parseNonce } from '../../auth/nonces/nonce.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import { documented, fieldDoc } from './docs.js'
import { textProblem } from './parameter-text.js'

/** An address parameter. */
export interface AddressParam {
  /** Spelling of the client, which the client has signed. */
  readonly text: string
  /** Spelling with checksum. */
  readonly address: Address
}

/**
 * Parses parameters from the query and an optional JSON body. The query wins. Empty and null values count as missing.
 * Throws ValidationError.
 */
export function readParams<T extends z.ZodObject>(
  schema: T,
  request: FastifyRequest,
  input = sentParams(request),
): z.output<T> {
  const parsed = safeParse(schema, input)
  if (!parsed.success) throw validationError(parsed.error, input)
  return parsed.data
}

/** Returns the raw parameters of a request. Throws ValidationError if the body is not a JSON object. */
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
 * A parameter that occurs once, as text or number. One transform is faster than a chain of zod checks. `parse` throws an
 * Error whose message continues "The … field".
 */
function scalar<T>(parse: (text: string) => T) {
  return z.unknown().transform((value, context): T => {
    try {
      if (typeof value !== 'string' && typeof value !== 'number')
        throw new Error('must be given once, as text or number')
      const text = String(value)
      const problem = textProblem(text)
      if (problem !== undefined) throw new Error(problem)
      return parse(text)
    } catch (error) {
      context.addIssue((error as Error).message)
      return z.NEVER
    }
  })
}

/** Text of at most `maxLength` characters. */
function upTo(maxLength: number) {
  return scalar((value) => {
    if (value.length > maxLength) throw new Error(`must not be longer than ${maxLength} characters`)
    return value
  })
}

/** Text that matches a pattern. */
function matching<T>(pattern: RegExp, problem: string, parse: (text: string) => T) {
  return scalar((value) => {
    if (!pattern.test(value)) throw new Error(problem)
    return parse(value)
  })
}

/** Free text of bounded length. */
export const text = documented(upTo(PROVIDER_LIMITS.params.text), {
  schema: { type: 'string', minLength: 1, maxLength: PROVIDER_LIMITS.params.text },
  description: 'Text.',
  example: 'tide-access',
})

/** An auth token, not yet verified. */
export const tokenText = documented(upTo(PROVIDER_LIMITS.params.token), {
  schema: { type: 'string', minLength: 1, maxLength: PROVIDER_LIMITS.params.token },
  description: 'The auth token (a JWT).',
  example: 'eyJhbGciOiJIUzI1NiJ9.eyJhZGRyZXNzIjoiMHgifQ.c2ln',
})

/** A sign-in message (EIP-4361), not yet parsed. */
export const signInText = documented(upTo(PROVIDER_LIMITS.params.signIn), {
  schema: { type: 'string', minLength: 1, maxLength: PROVIDER_LIMITS.params.signIn },
  description:
    'Message of EIP-4361: domain is the host of the provider (with its port where the scheme has another), URI its base URL, Chain ID a served chain, Nonce a number as elsewhere of at least 8 digits, Expiration Time that of the token. The text itself is signed as an EIP-191 personal message.',
  example: 'provider.example wants you to sign in with your Ethereum account:',
})

/** Maximum characters of a signature: 0x and two for each byte. */
const MAX_SIGNATURE = 2 + 2 * COMMON_LIMITS.contract.signature

/** A signature of any form, since contract wallets define theirs. */
export const signatureText = documented(upTo(MAX_SIGNATURE), {
  schema: { type: 'string', minLength: 1, maxLength: MAX_SIGNATURE },
  description: 'Signature, as hex.',
  example: `0x${'00'.repeat(65)}`,
})

/** Whether a text is bytes as hex. Searches for a wrong character: a pattern that repeats over megabytes may exceed its stack. */
function isHexBytes(text: string): boolean {
  return text.length % 2 === 0 && /^0x/i.test(text) && !/[^0-9a-f]/i.test(text.slice(2))
}

/** Bytes as hex. */
export const hexBytes = documented(
  z
    .string('must be hex')
    .refine(isHexBytes, 'must be hex, two digits a byte after 0x')
    .transform((value) => value.toLowerCase() as Hex),
  { schema: { type: 'string', pattern: '^0x(?:[0-9a-fA-F]{2})*$' }, description: 'Bytes as hex.', example: '0x04' },
)

/** The flags of a document: one byte, in decimal or hex. */
export const flags = documented(
  matching(/^(?:0x[0-9a-f]{1,2}|[01]?\d{1,2}|2[0-4]\d|25[0-5])$/i, 'must be a number from 0 to 255', (value): Hex => {
    return `0x${Number(value).toString(16).padStart(2, '0')}`
  }),
  {
    schema: { type: ['integer', 'string'], minimum: 0, maximum: 255, pattern: '^(?:0x[0-9a-fA-F]{1,2}|[0-9]{1,3})$' },
    description: 'Bit 1: compressed (xz or lzma); bit 2: encrypted.',
    example: 2,
  },
)

const addressParam = memoizedText((text): AddressParam => ({ text, address: getAddress(text) }))

export const address = documented(
  matching(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hex digits', addressParam),
  {
    schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
    description: 'Ethereum address, in any case.',
    example: '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260',
  },
)

/** A digest of SHA-256, in lower case. */
export const sha256 = documented(
  matching(/^[0-9a-f]{64}$/i, 'must be a SHA-256: 64 hex digits', (value) => value.toLowerCase()),
  {
    schema: { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
    description: 'SHA-256 of the terms that the buyer accepts, for the record and the receipt.',
    example: '00'.repeat(32),
  },
)

export const transactionId = documented(
  matching(
    /^0x[0-9a-f]{64}$/i,
    'must be a transaction id: 0x and 64 hex digits',
    (value) => value.toLowerCase() as Hex,
  ),
  {
    schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' },
    description: '32 bytes of hex: a transaction id, or a hash.',
    example: `0x${'ab'.repeat(32)}`,
  },
)

/** A whole number from 0 to Number.MAX_SAFE_INTEGER. */
export const whole = documented(
  matching(/^\d{1,16}$/, 'must be a whole number from 0', (value) => {
    if (!Number.isSafeInteger(Number(value))) throw new Error('must be a whole number from 0')
    return Number(value)
  }),
  {
    schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    description: 'A whole number.',
    example: 0,
  },
)

export const archiveForm = documented(z.literal('zip', 'must be zip'), {
  schema: { const: 'zip' },
  description: 'Replaces fileIndex: all files of the service, as a ZIP archive.',
  example: 'zip',
})

export const flag = documented(
  z
    .union([z.boolean(), z.literal(['true', 'false', '1', '0', 1, 0])], 'must be true or false')
    // ocean.py sends 1
    .transform((value) => [true, 'true', '1', 1].includes(value)),
  { schema: { type: 'boolean' }, description: 'true or false; also 1 or 0.', example: true },
)

const DIGITS = `[0-9]{1,${PROVIDER_LIMITS.nonces.digits}}`
const NONCE = `^${DIGITS}(?:[.]${DIGITS})?$`

/** A nonce, at most `aheadSeconds` ahead of the current time in microseconds. */
export function nonce(aheadSeconds: number) {
  return documented(
    scalar((value): Nonce => parseNonce(value, maxNonce(Date.now(), aheadSeconds))),
    {
      schema: { type: ['number', 'string'], exclusiveMinimum: 0, pattern: NONCE },
      description:
        'Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.',
      example: 1,
    },
  )
}

/** Returns a copy of a validator with its own description. */
export function described<T extends z.ZodType>(field: T, description: string, example?: unknown): T {
  const doc = fieldDoc(field)
  return documented(field.clone() as T, { ...doc, description, example: example ?? doc.example })
}
