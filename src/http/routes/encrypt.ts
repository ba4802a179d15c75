import { setImmediate } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Proven } from '../../auth/authenticate.js'
import { modernMessage } from '../../auth/signature.js'
import { BOUNDS } from '../../bounds.js'
import type { Chain } from '../../chain/chains.js'
import type { Context } from '../../context.js'
import { encrypt as encryptTo } from '../../crypto/ecies.js'
import { RequestError } from '../../errors.js'
import { chainOf } from '../chain.js'
import { consumerParams, optionalProof, PROOF, proveConsumer } from '../consumer.js'
import { credentialsOf } from '../credentials.js'
import { HEX } from '../docs.js'
import { type Endpoint, PREFIX, withRawBody } from '../endpoint.js'
import { address, described, readParams, sentParams, whole } from '../params.js'

const params = { chainId: described(whole, 'Chain whose provider key encrypts.', 8996) }

/**
 * Encrypts the body, as it is, to the provider key of a chain. Anybody may ask; a signature that modern clients send
 * along is checked, and its nonce used up, as on every signed route.
 */
export const encrypt: Endpoint = {
  names: ['encrypt'],
  method: 'POST',
  path: `${PREFIX}/encrypt`,
  anonymous: true,
  doc: {
    summary: 'Encrypt a document',
    description:
      'Encrypts the body, as it is, to the provider key of a chain: ECIES over secp256k1 with AES-256-GCM. A signature over consumerAddress + nonce + "encrypt" may be sent; then it is checked and its nonce used up.',
    params: {
      ...params,
      consumerAddress: described(address, 'Address that signed, where a signature is sent.').optional(),
      ...optionalProof(PROOF),
    },
    body: {
      contentType: 'application/octet-stream',
      schema: {},
      description: 'The document: a files object or a DDO.',
    },
    responses: {
      201: {
        description: 'The encrypted document as hex.',
        content: { 'text/plain': { schema: HEX, example: '0x04' } },
      },
    },
    errors: ['UNKNOWN_CHAIN', 'BAD_CONTENT_TYPE', 'EMPTY_BODY', 'RBAC_DENIED', 'RBAC_UNAVAILABLE'],
  },
  register(app, context) {
    const schema = z.object(params)
    const checkSigner = signerCheck(context)
    withRawBody(app, (scope) => {
      scope.post(this.path, { bodyLimit: context.settings.MAX_BODY_SIZE }, async (request, reply) => {
        const queryOnly = { query: request.query, headers: request.headers, body: undefined } as FastifyRequest
        if (sentParams(queryOnly).chainId === undefined)
          throw new RequestError('UNKNOWN_CHAIN', 'Missing chainId query parameter.')
        const chain = chainOf(readParams(schema, queryOnly).chainId, context.chains)
        const body = octets(request)
        const consumer = await checkSigner(queryOnly, chain)
        const provider = chain.key.address
        await context.accessControl({
          event: 'encryptUrl',
          provider,
          ...(consumer ? { consumer: consumer.address } : {}),
        })
        await consumer?.consumeNonce()
        const encrypted = encryptTo(chain.key.publicKey, body)
        return reply
          .code(201)
          .type('text/plain; charset=utf-8')
          .send(await hexOf(encrypted))
      })
    })
  },
}

/** The text of `0x` and hex, as bytes, so that it is not encoded once more; a long one is written in several turns. */
async function hexOf(bytes: Buffer): Promise<Buffer> {
  const { turn } = BOUNDS.body
  const text = Buffer.allocUnsafe(2 + 2 * bytes.length)
  text.write('0x', 'latin1')
  for (let at = 0; at < bytes.length; at += turn) {
    if (bytes.length > turn) await setImmediate()
    text.write(bytes.toString('hex', at, at + turn), 2 + 2 * at, 'latin1')
  }
  return text
}

/** Checks who signed, where the request is signed at all. */
function signerCheck(context: Context): (request: FastifyRequest, chain: Chain) => Promise<Proven | undefined> {
  const read = consumerParams({ consumerAddress: address }, context)
  return async (request, chain) => {
    const credentials = credentialsOf(request)
    if (!credentials || !('signature' in credentials)) return undefined
    const sent = read(request)
    const { consumerAddress } = sent.params
    const messages = (nonce: string) => [modernMessage(consumerAddress.text, nonce, 'encrypt')]
    return proveConsumer(sent, consumerAddress, messages, chain, context)
  }
}

function octets({ headers, body }: FastifyRequest): Buffer {
  if (headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== 'application/octet-stream')
    throw new RequestError('BAD_CONTENT_TYPE', 'Invalid request content type: should be application/octet-stream')
  if (!Buffer.isBuffer(body) || body.length === 0) throw new RequestError('EMPTY_BODY', 'The request body is empty.')
  return body
}
