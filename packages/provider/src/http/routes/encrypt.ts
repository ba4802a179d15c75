import { setImmediate } from 'node:timers/promises'
import type { Chain } from '@tidegate/chain'
import type { Hosting } from '@tidegate/hosting'
import { PROTOCOL_LIMITS, RequestError } from '@tidegate/protocol'
import { encrypt as encryptTo } from '@tidegate/protocol/keys'
import { DEV_CHAIN_ID } from '@tidegate/protocol/networks'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Access } from '../../access/access.js'
import type { PolicyParameter } from '../../access/policies/policies.js'
import type { ProvenConsumer } from '../../auth/authenticate.js'
import { modernMessage } from '../../auth/signature.js'
import { chainOf } from '../endpoints/chain.js'
import { optionalProof, optionalProver, PROOF } from '../endpoints/consumer.js'
import { BINARY, HEX } from '../endpoints/docs.js'
import { type Endpoint, PREFIX, withRawBody } from '../endpoints/endpoint.js'
import { withNonce } from '../endpoints/nonce-use.js'
import { policyServer } from '../endpoints/object-params.js'
import { address, described, readParams, sentParams, whole } from '../endpoints/params.js'

const params = {
  chainId: described(whole, 'Chain whose provider key encrypts.', DEV_CHAIN_ID),
  policyServer: policyServer.optional(),
}

/** Body and responses of routes that encrypt, for the API description. */
export const FILES_BODY = {
  contentType: 'application/octet-stream',
  schema: BINARY,
  description: 'The files object.',
}
export const ENCRYPTED = {
  201: {
    description: 'The encrypted document as hex.',
    content: { 'text/plain': { schema: HEX, example: '0x04' } },
  },
}

/** Refusals of `admitEncryption`. */
export const ENCRYPTION_REFUSALS = ['POLICY_DENIED', 'POLICY_UNAVAILABLE', 'RBAC_DENIED', 'RBAC_UNAVAILABLE'] as const

/**
 * Encrypts the raw body to the provider key of a chain. Needs no authentication; a signature or a token is verified if
 * sent, and the nonce of a signature is consumed.
 */
export const encrypt: Endpoint<'last'> = {
  names: ['encrypt'],
  method: 'POST',
  path: `${PREFIX}/encrypt`,
  nonce: 'last',
  anonymous: true,
  doc: {
    summary: 'Encrypt a document',
    description:
      'Encrypts the raw body to the provider key of a chain: ECIES over secp256k1 with AES-256-GCM. A signature over consumerAddress + nonce + "encrypt" is optional; if sent, it is verified and its nonce consumed. So is an auth token.',
    token: true,
    params: {
      ...params,
      consumerAddress: described(
        address,
        'Address that signed, or that the token was issued to. Required with a signature.',
      ).optional(),
      ...optionalProof(PROOF),
    },
    body: { ...FILES_BODY, description: 'The document: a files object or a DDO.' },
    responses: ENCRYPTED,
    errors: ['UNKNOWN_CHAIN', 'BAD_CONTENT_TYPE', 'EMPTY_BODY', ...ENCRYPTION_REFUSALS],
  },
  register(app, services) {
    const { settings, chains, access, uploads } = services
    const schema = z.object(params)
    const messages = (consumer: string, nonce: string) => [modernMessage(consumer, nonce, 'encrypt')]
    const prove = optionalProver('consumerAddress', messages, services)
    withRawBody(app, (scope) => {
      const handler = withNonce(this.nonce, async (request, reply, nonces) => {
        const queryOnly = { query: request.query, headers: request.headers, body: undefined } as FastifyRequest
        if (sentParams(queryOnly).chainId === undefined)
          throw new RequestError('UNKNOWN_CHAIN', 'Missing chainId query parameter.')
        const { chainId, policyServer: session } = readParams(schema, queryOnly)
        const chain = chainOf(chainId, chains)
        const body = octets(request)
        await admitEncryption(await prove(queryOnly, chain, nonces), chain, access, session)
        return async () => {
          const hex = await encryptedHex(chain, body, uploads.hosting)
          // ocean.py compares the whole header, and the framework would add a charset to text
          reply.code(201).type('text/plain')
          return hex
        }
      })
      scope.post(this.path, { bodyLimit: settings.MAX_BODY_SIZE }, handler)
    })
  },
}

/** Asks the operator's policy server and access control about a consumer, or anybody. Throws AccessError. */
export async function admitEncryption(
  consumer: ProvenConsumer | undefined,
  chain: Chain,
  { policies, accessControl }: Pick<Access, 'policies' | 'accessControl'>,
  session: PolicyParameter | undefined,
): Promise<void> {
  const about = consumer ? { consumer: consumer.address } : {}
  const asked = { consumerAddress: consumer?.address ?? null, policyServer: session ?? null }
  await policies.assertAgreed('encrypt', { ...asked, nodeAddress: chain.key.address })
  await accessControl({ event: 'encryptUrl', provider: chain.key.address, ...about })
}

/** Encrypts a document to the provider key of a chain. Returns 0x and hex as bytes. Throws ValidationError, StateError. */
export async function encryptedHex(
  { chainId, key }: Chain,
  body: Buffer,
  hosting: Hosting | undefined,
): Promise<Buffer> {
  const encrypted = encryptTo(key.publicKey, body)
  // before the response, so that the use of a hosted file is known before its publication
  await hosting?.uses.recordEncrypted(chainId, body, encrypted)
  return hexOf(encrypted)
}

/** Returns 0x and hex as bytes, which need no further encoding. Long input yields to the event loop. */
async function hexOf(bytes: Buffer): Promise<Buffer> {
  const { hexChunk: turn } = PROTOCOL_LIMITS.body
  const text = Buffer.allocUnsafe(2 + 2 * bytes.length)
  text.write('0x', 'latin1')
  for (let at = 0; at < bytes.length; at += turn) {
    if (bytes.length > turn) await setImmediate()
    text.write(bytes.toString('hex', at, at + turn), 2 + 2 * at, 'latin1')
  }
  return text
}

/** Returns the raw body. Throws RequestError. */
export function octets({ headers, body }: FastifyRequest): Buffer {
  if (headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== 'application/octet-stream')
    throw new RequestError('BAD_CONTENT_TYPE', 'Invalid request content type: should be application/octet-stream')
  if (!Buffer.isBuffer(body) || body.length === 0) throw new RequestError('EMPTY_BODY', 'The request body is empty.')
  return body
}
