import { RequestError, ValidationError } from '@tidegate/protocol'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { authenticate } from '../../auth/authenticate.js'
import { maxNonce, parseNonce } from '../../auth/nonces/nonce.js'
import { checkSignIn, parseSignIn, type SignInMessage } from '../../auth/sign-in.js'
import { plainDigests } from '../../auth/signature.js'
import type { TokenHolder } from '../../auth/tokens.js'
import type { Settings } from '../../config/schema.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { Provers } from './consumer.js'
import type { NonceUse } from './nonce-use.js'
import { readParams, sentParams, signatureText, signInText } from './params.js'
import { ownUrl } from './public-url.js'

/** The signer of a sign-in message. */
export interface SignedIn {
  holder: TokenHolder
  /** Expiration Time in seconds since 1970, if any. */
  expiresAt: number | undefined
}

const PARAMS = z.object({ message: signInText, signature: signatureText })

/** Returns whether a sign-in message (EIP-4361) signs the request. */
export function isSignIn(request: FastifyRequest): boolean {
  return sentParams(request).message !== undefined
}

/**
 * Authenticates the signer of a sign-in message for `path` of this provider. The address may be
 * a contract wallet on the chain of the message. Throws ValidationError, ChainError, StateError.
 */
export async function proveSignIn(
  request: FastifyRequest,
  path: string,
  provers: Provers,
  nonces: NonceUse,
): Promise<SignedIn> {
  const { settings, chains, auth } = provers
  const { message: text, signature } = readParams(PARAMS, request)
  const { address, chain, nonce, expiresAt } = accepted()
  const signer = await authenticate(
    {
      address,
      nonce,
      signature,
      messages: [text],
      chain,
      chains,
      consumedAtOnce: nonces.isFirst,
      digestsOf: plainDigests,
    },
    auth,
  )
  const holder = await nonces.take(signer)
  return { holder, expiresAt: expiresAt === undefined ? undefined : Math.floor(expiresAt / 1000) }

  function accepted() {
    try {
      const message: SignInMessage = parseSignIn(text)
      const base = ownUrl(request, settings)
      if (base === undefined) throw new Error('cannot be accepted: the operator has not configured PUBLIC_URL')
      const now = Date.now()
      checkSignIn(message, { base, path, now, tolerance: PROVIDER_LIMITS.tokens.issuedAhead })
      const chain = chains.get(message.chainId)
      if (!chain) throw new Error('must have the Chain ID of a chain that this provider serves')
      return { ...message, chain, nonce: nonceOf(message, now) }
    } catch (error) {
      throw ValidationError.of('message', `The message field ${(error as Error).message}.`)
    }
  }

  function nonceOf(message: SignInMessage, now: number) {
    try {
      return parseNonce(message.nonce, maxNonce(now, settings.NONCE_MAX_AHEAD))
    } catch (error) {
      throw new Error(`has a Nonce that ${(error as Error).message}`)
    }
  }
}

/** Throws RequestError if signatures must name the provider: the text of this one does not. */
export function assertNamesProvider(settings: Pick<Settings, 'REQUIRE_DOMAIN_SIGNATURES'>): void {
  if (settings.REQUIRE_DOMAIN_SIGNATURES)
    throw new RequestError(
      'SIGNATURE_NAMES_NO_PROVIDER',
      'The signed text does not name this provider, which this provider requires. Create an auth token by a message of EIP-4361 (POST /api/services/auth/token with message and signature), and send it as the header AuthToken.',
    )
}
