import { ValidationError } from '@tidegate/protocol'
import type { SignedBy, Validated } from '@tidegate/protocol/documents'
import { personalDigest, signDigest } from '@tidegate/protocol/keys'
import type { FastifyRequest } from 'fastify'
import { modernMessage } from '../../auth/signature.js'
import { consumerParams, type Provers, proveConsumer } from '../endpoints/consumer.js'
import { credentialsOf } from '../endpoints/credentials.js'
import { ADDRESS, HEX, json, object } from '../endpoints/docs.js'
import { type Endpoint, withRawBody } from '../endpoints/endpoint.js'
import { address } from '../endpoints/params.js'
import { PREFIX } from './assets.js'

/** Checks a DDO before it is published, and signs its hash so that the contract records who validated it. */
export const validateDdo: Endpoint = {
  names: [],
  method: 'POST',
  path: `${PREFIX}/ddo/validate`,
  anonymous: true,
  doc: {
    summary: 'Validate a DDO',
    description:
      'Checks a DDO before it is published, and signs its SHA-256 so that the contract records who validated it. The body is the DDO, or {ddo, publisherAddress, nonce, signature}, as octets or JSON; then the hash is that of JSON.stringify(ddo). A signature is optional: over publisherAddress + nonce, or publisherAddress + nonce + "validateDDO". If sent, it is verified and its nonce consumed, whatever becomes of the DDO.',
    body: {
      contentType: 'application/octet-stream',
      schema: {},
      description: 'The DDO as JSON text, by itself or in an envelope with a signature.',
    },
    responses: {
      200: json(
        'The hash and its signature.',
        object({
          hash: HEX,
          publicKey: ADDRESS,
          v: { enum: [27, 28] },
          r: { type: 'array', items: HEX },
          s: { type: 'array', items: HEX },
        }),
      ),
    },
    errors: ['CHAIN_UNAVAILABLE', 'SANDBOX_UNAVAILABLE'],
  },
  register(app, services) {
    const { chains, catalog, settings } = services
    const checkSigner = signerCheck(services)
    withRawBody(app, (scope) => {
      scope.post(this.path, { bodyLimit: settings.MAX_BODY_SIZE }, async (request) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const read = await catalog.documents.validate(body, { signal: request.lifetime.signal })
        // this signature is also valid for creating a token, so its nonce is consumed even if the document is refused
        await checkSigner(request, read)
        if ('problems' in read)
          throw new ValidationError(Object.fromEntries(Object.entries(read.problems).map(([at, why]) => [at, [why]])))
        const key = chains.get(read.chainId)?.key
        if (!key) throw ValidationError.of('chainId', 'This provider does not serve this chain.')
        const { v, r, s } = signDigest(personalDigest(Buffer.from(read.hash.slice(2), 'hex')), key)
        // r and s as lists: compatible with metadata caches
        return { hash: read.hash, publicKey: key.address, v, r: [r], s: [s] }
      })
    })
  },
}

/** Returns the check of a sent signature, which consumes its nonce. It throws ValidationError, ChainError. */
function signerCheck(provers: Provers): (request: FastifyRequest, read: Validated) => Promise<void> {
  const readProof = consumerParams({ publisherAddress: address }, provers.settings)
  return async ({ query, headers }, read) => {
    const body: Partial<SignedBy> = read.signedBy ?? {}
    const sent = { query, headers, body } as FastifyRequest
    const credentials = credentialsOf(sent)
    if (!credentials || !('signature' in credentials)) return
    const proof = readProof(sent)
    const { publisherAddress } = proof.params
    const messages = (nonce: string) => [
      publisherAddress.text + nonce,
      modernMessage(publisherAddress.text, nonce, 'validateDDO'),
    ]
    const chain = 'chainId' in read ? provers.chains.get(read.chainId) : undefined
    const publisher = await proveConsumer(proof, publisherAddress, messages, chain, provers)
    await publisher.consumeNonce()
  }
}
