import type { Chain } from '@tidegate/chain'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { authenticate, authenticateHolder, authenticateToken, type ProvenConsumer } from '../../auth/authenticate.js'
import type { Nonce } from '../../auth/nonces/nonce.js'
import type { Settings } from '../../config/schema.js'
import type { Services } from '../services.js'
import { type Credentials, credentialsOf } from './credentials.js'
import type { NonceUse } from './nonce-use.js'
import { type AddressParam, address, described, nonce, readParams, sentParams, signatureText } from './params.js'
import { assertNamesProvider } from './sign-in.js'

/** The parameters that authenticate a consumer, for the API description. */
export const PROOF = {
  nonce: nonce(0),
  signature: described(
    signatureText,
    'Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.',
    `0x${'00'.repeat(65)}`,
  ),
}

/** Makes the parameters optional. */
export function optionalProof({ nonce, signature }: typeof PROOF) {
  return { nonce: nonce.optional(), signature: signature.optional() }
}

/** The parameters that authenticate a consumer, without the address. */
interface ProofParams {
  nonce?: Nonce
  signature?: string
}

/** The services that authenticate a consumer. */
export type Provers = Pick<Services, 'settings' | 'chains' | 'auth'>

/** The parameters of a request and its credentials. */
export interface ConsumerRequest<T> {
  params: T & ProofParams
  credentials: Credentials
}

/**
 * Returns the parameter parser of a route for a signature or an auth token. Without a token, nonce and signature are
 * required. The parser throws one ValidationError with every missing field.
 */
export function consumerParams<T extends z.ZodRawShape>(shape: T, settings: Pick<Settings, 'NONCE_MAX_AHEAD'>) {
  const proof = nonce(settings.NONCE_MAX_AHEAD)
  const withToken = z.object({ ...shape, nonce: proof.optional() })
  const required = signatureText.refine((value) => value !== 'null', 'is required')
  const signed = z.object({ ...shape, nonce: proof, signature: required })
  return (request: FastifyRequest, input = sentParams(request)): ConsumerRequest<z.output<z.ZodObject<T>>> => {
    const credentials = credentialsOf(request, input)
    const schema = credentials && 'token' in credentials ? withToken : signed
    return { params: readParams(schema, request, input) as z.output<z.ZodObject<T>> & ProofParams, credentials }
  }
}

/**
 * Authenticates a request by a signature over one of the messages, or by token. The address may be a contract wallet on
 * the chain of the request. Throws ValidationError, TokenError, ChainError. Throws RequestError if signatures must name
 * the provider, since these messages do not.
 */
export async function proveConsumer(
  { params, credentials }: ConsumerRequest<unknown>,
  { address }: AddressParam,
  messages: (nonce: string) => string[],
  chain: Chain | undefined,
  { settings, chains, auth }: Provers,
  nonces: NonceUse,
): Promise<ProvenConsumer> {
  if (credentials && 'token' in credentials) return authenticateToken(address, credentials.token, auth.tokens, chain)
  assertNamesProvider(settings)
  const { nonce: signed, signature } = params as Required<ProofParams>
  const request = { address, nonce: signed, signature, messages: messages(signed.text), chains }
  const proof = { ...request, consumedAtOnce: nonces.isFirst }
  return nonces.take(await authenticate(chain ? { ...proof, chain } : proof, auth))
}

/** Authenticates the sender of a request; undefined if the request has neither signature nor token. */
export type OptionalProver = (
  request: FastifyRequest,
  chain: Chain | undefined,
  nonces: NonceUse,
) => Promise<ProvenConsumer | undefined>

/**
 * Creates the authentication of a route that also serves anonymous requests. `field` holds the address; a token may come
 * without it. The prover throws as proveConsumer.
 */
export function optionalProver(
  field: string,
  messagesOf: (address: string, nonce: string) => string[],
  provers: Provers,
): OptionalProver {
  const read = consumerParams({ [field]: address }, provers.settings)
  return async (request, chain, nonces) => {
    const credentials = credentialsOf(request)
    if (!credentials) return undefined
    if ('token' in credentials && sentParams(request)[field] === undefined)
      return authenticateHolder(credentials.token, provers.auth.tokens, chain)
    const sent = read(request)
    const claimed = sent.params[field] as AddressParam
    return proveConsumer(sent, claimed, (used) => messagesOf(claimed.text, used), chain, provers, nonces)
  }
}
