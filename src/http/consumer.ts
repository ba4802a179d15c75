import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { authenticate, authenticateToken, type Proven } from '../auth/authenticate.js'
import type { Nonce } from '../auth/nonce.js'
import type { Chain } from '../chain/chains.js'
import type { Context } from '../context.js'
import { type Credentials, credentialsOf } from './credentials.js'
import { type AddressParam, described, nonce, readParams, signatureText } from './params.js'

/** The parameters that prove a consumer, for the published description. */
export const PROOF = {
  nonce: nonce(0),
  signature: described(
    signatureText,
    'Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 4,096 bytes.',
    `0x${'00'.repeat(65)}`,
  ),
}

/** The same where a request may do without. */
export function optionalProof({ nonce: used, signature }: typeof PROOF) {
  return { nonce: used.optional(), signature: signature.optional() }
}

/** The parameters that prove a consumer, beside the address. */
interface ProofParams {
  nonce?: Nonce
  signature?: string
}

/** Parameters of a request, with how it proves who it comes from. */
export interface ConsumerRequest<T> {
  params: T & ProofParams
  credentials: Credentials
}

/**
 * Makes the reader for the parameters of a route that takes a signature or, in its place, an auth token: nonce and
 * signature are required unless there is a token. It throws ValidationError with all that is missing at once.
 */
export function consumerParams<T extends z.ZodRawShape>(shape: T, { settings }: Context) {
  const proof = nonce(settings.NONCE_MAX_AHEAD)
  const withToken = z.object({ ...shape, nonce: proof.optional() })
  const required = signatureText.refine((value) => value !== 'null', 'is required')
  const signed = z.object({ ...shape, nonce: proof, signature: required })
  return (request: FastifyRequest): ConsumerRequest<z.output<z.ZodObject<T>>> => {
    const credentials = credentialsOf(request)
    const schema = credentials && 'token' in credentials ? withToken : signed
    return { params: readParams(schema, request) as z.output<z.ZodObject<T>> & ProofParams, credentials }
  }
}

/**
 * Proves that the request comes from an address, by signature over one of the messages or by token; on the chain that
 * the request is about, the address may be a contract wallet. Throws ValidationError, TokenError, ChainError.
 */
export function proveConsumer(
  { params, credentials }: ConsumerRequest<unknown>,
  { address }: AddressParam,
  messages: (nonce: string) => string[],
  chain: Chain,
  { store, tokens, chains }: Context,
): Promise<Proven> {
  if (credentials && 'token' in credentials) return authenticateToken(address, credentials.token, tokens, chain)
  const { nonce: signed, signature } = params as Required<ProofParams>
  const request = { address, nonce: signed, signature, messages: messages(signed.text), chain, chains }
  return authenticate(request, store.nonces)
}
