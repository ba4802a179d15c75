import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { authenticate, authenticateSigner } from '../../auth/authenticate.js'
import { type Command, modernMessage } from '../../auth/signature.js'
import type { Holder } from '../../auth/tokens.js'
import type { Context } from '../../context.js'
import { TokenError, ValidationError } from '../../errors.js'
import { PROOF } from '../consumer.js'
import { json, object } from '../docs.js'
import { type Endpoint, PREFIX } from '../endpoint.js'
import { address, described, nonce, readParams, sentParams, signatureText, tokenText, whole } from '../params.js'

const SIGNED =
  'Always signed, over address + nonce, or address + nonce + "createAuthToken" or "invalidateAuthToken". Without an address the signer of the nonce alone is taken. The nonce is used up as soon as the signature holds, whatever is refused after that.'
const chainId = described(
  whole,
  'Chain of the address, where it is a contract wallet and several chains are served.',
  8996,
)
const SIGNED_PARAMS = { address: address.optional(), chainId: chainId.optional(), ...PROOF }
const TOKEN = json('The token.', object({ token: { type: 'string' } }))
const expiration = described(whole, 'When the token ends, in seconds since 1970 (UTC), in the future.', 4102444800)

/** Creates an auth token, always for a signature. */
export const createAuthToken: Endpoint = {
  names: ['createAuthToken', 'create_auth_token'],
  method: 'GET',
  path: `${PREFIX}/createAuthToken`,
  doc: {
    summary: 'Create an auth token',
    description: `${SIGNED} Every creation gives another token.`,
    params: { ...SIGNED_PARAMS, expiration },
    responses: { 200: TOKEN },
  },
  register(app, context) {
    const params = z.object({ ...signed(context), expiration })
    app.get(this.path, async (request) => {
      const asked = readParams(params, request)
      return issue(context, await proveSigner(context, asked, 'createAuthToken'), 'expiration', asked.expiration)
    })
  },
}

/** The same for modern clients, which send JSON and need not name an end. */
export const generateAuthToken: Endpoint = {
  names: ['generateAuthToken'],
  method: 'POST',
  path: `${PREFIX}/auth/token`,
  doc: {
    summary: 'Create an auth token (modern clients)',
    description: `${SIGNED} Without validUntil the token lives as long as the operator has set.`,
    params: { ...SIGNED_PARAMS, validUntil: expiration.optional() },
    body: 'json',
    responses: { 200: TOKEN },
  },
  register(app, context) {
    const params = z.object({ ...signed(context), validUntil: expiration.optional() })
    app.post(this.path, async (request) => {
      const asked = readParams(params, request)
      return issue(context, await proveSigner(context, asked, 'createAuthToken'), 'validUntil', asked.validUntil)
    })
  },
}

/** Deletes an auth token, always for a signature of the address that it was issued to. */
export const deleteAuthToken: Endpoint = {
  names: ['deleteAuthToken', 'delete_auth_token'],
  method: 'DELETE',
  path: `${PREFIX}/deleteAuthToken`,
  doc: {
    summary: 'Delete an auth token',
    description: `${SIGNED} The signature may also be sent as the header \`signature\`.`,
    params: { ...SIGNED_PARAMS, signature: PROOF.signature.optional(), token: tokenText },
    headers: { signature: 'The signature, where it is not a parameter.' },
    body: 'json',
    responses: { 200: json('The token is deleted for good.', object({ success: { type: 'string' } })) },
    errors: ['TOKEN_EXPIRED', 'TOKEN_DELETED', 'TOKEN_INVALID'],
  },
  register(app, context) {
    app.delete(this.path, async (request) => {
      await revoke(context, withSignatureHeader(request))
      return { success: 'Token has been deactivated.' }
    })
  },
}

/** The same for modern clients, which want a boolean. */
export const invalidateAuthToken: Endpoint = {
  names: ['invalidateAuthToken'],
  method: 'POST',
  path: `${PREFIX}/auth/token/invalidate`,
  doc: {
    summary: 'Delete an auth token (modern clients)',
    description: SIGNED,
    params: { ...SIGNED_PARAMS, token: tokenText },
    body: 'json',
    responses: {
      200: json('The token is deleted for good.', object({ success: { const: true }, message: { type: 'string' } })),
    },
    errors: ['TOKEN_EXPIRED', 'TOKEN_DELETED', 'TOKEN_INVALID'],
  },
  register(app, context) {
    app.post(this.path, async (request) => {
      await revoke(context, request)
      return { success: true, message: 'Token has been deactivated.' }
    })
  },
}

function signed({ settings }: Context) {
  const used = nonce(settings.NONCE_MAX_AHEAD)
  return { address: address.optional(), chainId: chainId.optional(), nonce: used, signature: signatureText }
}

type SignedParams = z.output<z.ZodObject<ReturnType<typeof signed>>>

/**
 * The signer of address and nonce; without an address, whoever signed the nonce alone. The nonce is used up here: one
 * and the same text is signed for creating and for deleting, so what is refused on one route would hold on the other.
 */
async function proveSigner({ store, chains }: Context, asked: SignedParams, command: Command): Promise<Holder> {
  const { address: claimed, chainId: on, nonce: used, signature } = asked
  const prove = () => {
    if (!claimed) return authenticateSigner({ nonce: used, signature, message: used.text }, store.nonces)
    const messages = [claimed.text + used.text, modernMessage(claimed.text, used.text, command)]
    // modern clients send a chain id that nothing depends on: one that is not served is no reason to refuse
    const chain = on === undefined && chains.size === 1 ? [...chains.values()][0] : chains.get(on ?? -1)
    const proof = { address: claimed.address, nonce: used, signature, messages, chains, ...(chain ? { chain } : {}) }
    return authenticate(proof, store.nonces)
  }
  const proven = await prove()
  await proven.consumeNonce()
  return proven
}

/** From here on a number of seconds since 1970 can only be one of milliseconds. */
const MILLISECONDS = 100_000_000_000

function issue({ settings, tokens }: Context, signer: Holder, field: string, wanted: number | undefined) {
  const now = Math.floor(Date.now() / 1000)
  const expiresAt = wanted ?? now + Math.min(settings.AUTH_TOKEN_LIFETIME, settings.AUTH_TOKEN_MAX_LIFETIME)
  const refuse = (why: string) => ValidationError.of(field, `The ${field} field ${why}.`)
  if (expiresAt >= MILLISECONDS) throw refuse('must be in seconds since 1970 (UTC), and looks like milliseconds')
  if (expiresAt <= now) throw refuse('must lie in the future (seconds since 1970, UTC)')
  if (expiresAt > now + settings.AUTH_TOKEN_MAX_LIFETIME)
    throw refuse(`must not lie more than ${settings.AUTH_TOKEN_MAX_LIFETIME} seconds ahead`)
  return { token: tokens.issue(signer, expiresAt, now) }
}

async function revoke(context: Context, request: FastifyRequest): Promise<void> {
  const asked = readParams(z.object({ ...signed(context), token: tokenText }), request)
  const signer = await proveSigner(context, asked, 'invalidateAuthToken')
  const claims = await context.tokens.verify(asked.token)
  const sameChain = signer.chainId === undefined || signer.chainId === claims.chainId
  if (claims.address !== signer.address || !sameChain)
    throw new TokenError('TOKEN_INVALID', 'Token is invalid. It was issued to another address.')
  await context.tokens.revoke(claims, Math.floor(Date.now() / 1000))
}

/** The specification sends the signature of a deletion in a header. */
function withSignatureHeader(request: FastifyRequest): FastifyRequest {
  const { signature } = request.headers
  if (typeof signature !== 'string' || sentParams(request).signature !== undefined) return request
  return { query: { ...(request.query as object), signature }, body: request.body } as FastifyRequest
}
