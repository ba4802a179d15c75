import { ValidationError } from '@tidegate/protocol'
import type { Validated } from '@tidegate/protocol/documents'
import { personalDigest, signDigest } from '@tidegate/protocol/keys'
import type { FastifyRequest } from 'fastify'
import type { Address } from 'viem'
import * as z from 'zod'
import type { Policies } from '../../access/policies/policies.js'
import type { ProvenConsumer } from '../../auth/authenticate.js'
import { modernMessage } from '../../auth/signature.js'
import { optionalProver } from '../endpoints/consumer.js'
import { ADDRESS, BINARY, HEX, json, named, object } from '../endpoints/docs.js'
import { type Endpoint, withRawBody } from '../endpoints/endpoint.js'
import { withNonce } from '../endpoints/nonce-use.js'
import { policyServer } from '../endpoints/object-params.js'
import { readParams } from '../endpoints/params.js'
import { PREFIX } from './assets.js'

const params = z.object({ policyServer: policyServer.optional() })

/** Validates a DDO and signs its hash, so that the contract records the validator. */
export const validateDdo: Endpoint<'first'> = {
  names: [],
  method: 'POST',
  path: `${PREFIX}/ddo/validate`,
  nonce: 'first',
  anonymous: true,
  doc: {
    operationId: 'validateAsset',
    summary: 'Validate a DDO',
    description:
      'Checks a DDO before it is published, and signs its SHA-256 so that the contract records who validated it. The body is the DDO, or {ddo, publisherAddress, nonce, signature}, as octets or JSON; then the hash is that of JSON.stringify(ddo). A signature is optional: over publisherAddress + nonce, or publisherAddress + nonce + "validateDDO". If sent, it is verified and its nonce consumed, whatever becomes of the DDO. An auth token is verified as well. With a policy server, that must agree; policyServer may be in the envelope.',
    token: true,
    params: params.shape,
    body: {
      contentType: 'application/octet-stream',
      schema: BINARY,
      description: 'The DDO as JSON text, by itself or in an envelope with a signature.',
    },
    responses: {
      200: json(
        'The hash and its signature.',
        named(
          'Validation',
          object({
            hash: HEX,
            publicKey: ADDRESS,
            v: { enum: [27, 28] },
            r: { type: 'array', items: HEX },
            s: { type: 'array', items: HEX },
          }),
        ),
      ),
    },
    errors: ['POLICY_DENIED', 'POLICY_UNAVAILABLE', 'CHAIN_UNAVAILABLE', 'SANDBOX_UNAVAILABLE'],
  },
  register(app, services) {
    const { chains, catalog, settings, access } = services
    const messages = (publisher: string, nonce: string) => [
      publisher + nonce,
      modernMessage(publisher, nonce, 'validateDDO'),
    ]
    const prove = optionalProver('publisherAddress', messages, services)
    withRawBody(app, (scope) => {
      const handler = withNonce(this.nonce, async (request, _reply, nonces) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const read = await catalog.documents.validate(body, { signal: request.lifetime.signal })
        // this signature is also valid for creating a token, so its nonce is consumed even if the document is refused
        const chain = 'chainId' in read ? chains.get(read.chainId) : undefined
        const publisher = await prove(withProof(request, read), chain, nonces)
        if ('problems' in read)
          throw new ValidationError(Object.fromEntries(Object.entries(read.problems).map(([at, why]) => [at, [why]])))
        const key = chains.get(read.chainId)?.key
        if (!key) throw ValidationError.of('chainId', 'This provider does not serve this chain.')
        if (access.policies.areServed) await admitDocument(request, body, { publisher, key }, access.policies)
        const { v, r, s } = signDigest(personalDigest(Buffer.from(read.hash.slice(2), 'hex')), key)
        // r and s as lists, like metadata caches
        return { hash: read.hash, publicKey: key.address, v, r: [r], s: [s] }
      })
      scope.post(this.path, { bodyLimit: settings.MAX_BODY_SIZE }, handler)
    })
  },
}

/** Returns the request with the proof in its body, if the document came in an envelope. The body itself is a document. */
function withProof({ query, headers }: FastifyRequest, { signedBy }: Validated): FastifyRequest {
  return { query, headers, body: signedBy ?? {} } as FastifyRequest
}

/** Asks the policy server about a valid document and its publisher, or anybody. Throws ValidationError, AccessError. */
async function admitDocument(
  { query, headers }: FastifyRequest,
  body: Buffer,
  { publisher, key }: { publisher: ProvenConsumer | undefined; key: { address: Address } },
  policies: Policies,
): Promise<void> {
  // without a byte order mark, as the validation has read it
  const sent = JSON.parse(new TextDecoder().decode(body)) as { ddo?: unknown; policyServer?: unknown }
  const isEnvelope = sent.ddo !== undefined
  const named = isEnvelope ? { policyServer: sent.policyServer } : {}
  const { policyServer: session } = readParams(params, { query, headers, body: named } as FastifyRequest)
  await policies.assertAgreed('validateDDO', {
    rawDDO: isEnvelope ? sent.ddo : sent,
    publisherAddress: publisher?.address ?? null,
    policyServer: session ?? null,
    nodeAddress: key.address,
  })
}
