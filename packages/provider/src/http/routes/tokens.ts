import { DEV_CHAIN_ID } from '@tidegate/protocol/networks'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { authenticate, authenticateSigner } from '../../auth/authenticate.js'
import { type Command, modernMessage } from '../../auth/signature.js'
import { issueToken, revokeToken } from '../../auth/token-requests.js'
import type { TokenHolder } from '../../auth/tokens.js'
import type { Settings } from '../../config/schema.js'
import { EXAMPLE_EXPIRY } from '../../constants.js'
import { walletChain } from '../endpoints/chain.js'
import { PROOF, type Provers } from '../endpoints/consumer.js'
import { json, named, object } from '../endpoints/docs.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'
import { type NonceUse, withNonce } from '../endpoints/nonce-use.js'
import {
  address,
  described,
  nonce,
  readParams,
  sentParams,
  signatureText,
  signInText,
  tokenText,
  whole,
} from '../endpoints/params.js'
import { assertNamesProvider, isSignIn, proveSignIn } from '../endpoints/sign-in.js'

const SIGNED =
  'Always signed, over address + nonce, or address + nonce + "createAuthToken" or "invalidateAuthToken". @oceanprotocol/lib 9 appends the id of this provider (POST /directCommand) to the text for a new token. Without an address, the signer of the bare nonce is used. The nonce is consumed as soon as the signature is verified, even if the request is refused afterwards.'
const chainId = described(
  whole,
  'Chain of the address, if it is a contract wallet and several chains are served.',
  DEV_CHAIN_ID,
)
const BY_MESSAGE =
  'Or send `message` and `signature` alone: a sign-in message of EIP-4361, which names this provider, so that it is of no use at another one. Its nonce is consumed likewise.'
const SIGNED_PARAMS = { address: address.optional(), chainId: chainId.optional(), ...PROOF }
const OR_MESSAGE = {
  ...SIGNED_PARAMS,
  nonce: PROOF.nonce.optional(),
  signature: PROOF.signature,
  message: signInText.optional(),
}
const TOKEN = json('The token.', named('Token', object({ token: { type: 'string' } })))
const expiration = described(whole, 'Expiry of the token, in seconds since 1970 (UTC), in the future.', EXAMPLE_EXPIRY)

/** Creates an auth token. Requires a signature. */
export const createAuthToken: Endpoint<'first'> = {
  names: ['createAuthToken', 'create_auth_token'],
  method: 'GET',
  path: `${PREFIX}/createAuthToken`,
  nonce: 'first',
  doc: {
    summary: 'Create an auth token',
    description: `${SIGNED} Every request creates a new token.`,
    params: { ...SIGNED_PARAMS, expiration },
    responses: { 200: TOKEN },
  },
  register(app, services) {
    const { settings, auth } = services
    const params = z.object({ ...signed(settings), expiration })
    const handler = withNonce(this.nonce, async (request, _reply, nonces) => {
      const sent = readParams(params, request)
      const signer = await proveSigner(services, sent, 'createAuthToken', nonces)
      return { token: issueToken(auth.tokens, settings, signer, { field: 'expiration', value: sent.expiration }) }
    })
    app.get(this.path, handler)
  },
}

/** Creates an auth token for modern clients, which send JSON and may omit the expiry. */
export const generateAuthToken: Endpoint<'first'> = {
  names: ['generateAuthToken'],
  method: 'POST',
  path: `${PREFIX}/auth/token`,
  nonce: 'first',
  doc: {
    summary: 'Create an auth token (modern clients)',
    description: `${SIGNED} Without validUntil the token has the lifetime that the operator configured. ${BY_MESSAGE} Its URI is the base URL of the provider, and its Expiration Time takes the place of validUntil.`,
    params: { ...OR_MESSAGE, validUntil: expiration.optional() },
    body: 'json',
    responses: { 200: TOKEN },
  },
  register(app, services) {
    const { settings, auth } = services
    const params = z.object({ ...signed(settings), validUntil: expiration.optional() })
    const handler = withNonce(this.nonce, async (request, _reply, nonces) => {
      if (isSignIn(request)) {
        const { holder, expiresAt } = await proveSignIn(request, '', services, nonces)
        return { token: issueToken(auth.tokens, settings, holder, { field: 'message', value: expiresAt }) }
      }
      const sent = readParams(params, request)
      const signer = await proveSigner(services, sent, 'createAuthToken', nonces)
      return { token: issueToken(auth.tokens, settings, signer, { field: 'validUntil', value: sent.validUntil }) }
    })
    app.post(this.path, handler)
  },
}

/** Deletes an auth token. Requires a signature of its holder. */
export const deleteAuthToken: Endpoint<'first'> = {
  names: ['deleteAuthToken', 'delete_auth_token'],
  method: 'DELETE',
  path: `${PREFIX}/deleteAuthToken`,
  nonce: 'first',
  doc: {
    summary: 'Delete an auth token',
    description: `${SIGNED} The signature may also be sent as the header \`signature\`.`,
    params: { ...SIGNED_PARAMS, signature: PROOF.signature.optional(), token: tokenText },
    headers: { signature: 'The signature, if it is not sent as a parameter.' },
    body: 'json',
    responses: { 200: json('The token is deleted permanently.', object({ success: { type: 'string' } })) },
    errors: ['TOKEN_EXPIRED', 'TOKEN_DELETED', 'TOKEN_INVALID'],
  },
  register(app, services) {
    const handler = withNonce(this.nonce, async (request, _reply, nonces) => {
      await revokeSigned(services, withSignatureHeader(request), nonces)
      return { success: 'Token has been deactivated.' }
    })
    app.delete(this.path, handler)
  },
}

/** Deletes an auth token for modern clients, which expect a boolean. */
export const invalidateAuthToken: Endpoint<'first'> = {
  names: ['invalidateAuthToken'],
  method: 'POST',
  path: `${PREFIX}/auth/token/invalidate`,
  nonce: 'first',
  doc: {
    summary: 'Delete an auth token (modern clients)',
    description: `${SIGNED} ${BY_MESSAGE} Its URI is the URL of this route.`,
    params: { ...OR_MESSAGE, token: tokenText },
    body: 'json',
    responses: {
      200: json('The token is deleted permanently.', object({ success: { const: true }, message: { type: 'string' } })),
    },
    errors: ['TOKEN_EXPIRED', 'TOKEN_DELETED', 'TOKEN_INVALID'],
  },
  register(app, services) {
    const handler = withNonce(this.nonce, async (request, _reply, nonces) => {
      if (isSignIn(request)) {
        const { token } = readParams(z.object({ token: tokenText }), request)
        const { holder } = await proveSignIn(request, this.path, services, nonces)
        await revokeToken(services.auth.tokens, holder, token)
      } else await revokeSigned(services, request, nonces)
      return { success: true, message: 'Token has been deactivated.' }
    })
    app.post(this.path, handler)
  },
}

function signed(settings: Pick<Settings, 'NONCE_MAX_AHEAD'>) {
  const bounded = nonce(settings.NONCE_MAX_AHEAD)
  return { address: address.optional(), chainId: chainId.optional(), nonce: bounded, signature: signatureText }
}

type SignedParams = z.output<z.ZodObject<ReturnType<typeof signed>>>

/**
 * Authenticates the signer of address and nonce, or of the nonce alone. The nonce is consumed first: creation and deletion
 * sign the same text, so a refused request could be replayed on the other route.
 */
async function proveSigner(
  provers: Provers,
  sent: SignedParams,
  command: Command,
  nonces: NonceUse,
): Promise<TokenHolder> {
  const { settings, chains, auth } = provers
  const { address: claimed, chainId: on, nonce: used, signature } = sent
  const prove = () => {
    if (!claimed) {
      assertNamesProvider(settings)
      return authenticateSigner({ nonce: used, signature, message: used.text }, auth)
    }
    const modern = modernMessage(claimed.text, used.text, command)
    const messages = [claimed.text + used.text, modern]
    if (command === 'createAuthToken') messages.push(modern + auth.identity.id)
    // modern clients send a chain id that nothing depends on, so an unserved chain is not a reason to refuse
    const chain = walletChain(on, chains)
    const proof = { address: claimed.address, nonce: used, signature, messages, chains, consumedAtOnce: nonces.isFirst }
    return authenticate(chain ? { ...proof, chain } : proof, auth)
  }
  const signer = await prove()
  if (!signer.consumer.message?.endsWith(auth.identity.id)) assertNamesProvider(settings)
  return nonces.take(signer)
}

async function revokeSigned(provers: Provers, request: FastifyRequest, nonces: NonceUse): Promise<void> {
  const params = readParams(z.object({ ...signed(provers.settings), token: tokenText }), request)
  const signer = await proveSigner(provers, params, 'invalidateAuthToken', nonces)
  await revokeToken(provers.auth.tokens, signer, params.token)
}

/** Accepts the signature of a deletion in a header (service specification). */
function withSignatureHeader(request: FastifyRequest): FastifyRequest {
  const { signature } = request.headers
  if (typeof signature !== 'string' || sentParams(request).signature !== undefined) return request
  return { query: { ...(request.query as object), signature }, body: request.body } as FastifyRequest
}
