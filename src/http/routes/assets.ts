import { assetDocument } from '../../assets/document.js'
import { personalDigest, signDigest } from '../../crypto/keys.js'
import { AssetError, ValidationError } from '../../errors.js'
import { ADDRESS, HEX, json, object } from '../docs.js'
import { type Endpoint, withRawBody } from '../endpoint.js'
import { described, text } from '../params.js'
import { READER, readerCheck } from '../readers.js'

const PREFIX = '/api/aquarius/assets'

/** The asset document of a DID from the on-chain index, in the form that metadata caches serve. */
export const assetDdo: Endpoint = {
  names: [],
  method: 'GET',
  path: `${PREFIX}/ddo/:did`,
  doc: {
    summary: 'Asset document',
    description:
      'The DDO of an asset from the on-chain index, with nft, datatokens, event, stats and purgatory filled in. Where the operator has named who may decrypt (AUTHORIZED_DECRYPTERS), a document that is encrypted on the chain is for those alone: signed over decrypterAddress + nonce + "decryptDDO".',
    path: { did: described(text, 'DID of the asset.', 'did:op:0000') },
    params: READER,
    token: true,
    responses: { 200: json('The document.', { type: 'object' }) },
    errors: ['ASSET_NOT_FOUND', 'DECRYPTER_DENIED', 'CHAIN_UNAVAILABLE', 'SANDBOX_UNAVAILABLE'],
  },
  register(app, context) {
    const { indexed, facts, purgatory } = context
    const checkReader = readerCheck(context)
    app.get<{ Params: { did: string } }>(this.path, async (request, reply) => {
      const found = await indexed.asset(request.params.did)
      if (found) await checkReader(request, reply, found)
      const document = found && assetDocument(found, await facts.of(found), purgatory.reasonFor(found.metadata.did))
      if (!document) throw new AssetError('ASSET_NOT_FOUND', 'No asset with this DID is in the index.')
      return document
    })
  },
}

/** Checks a DDO before it is published, and signs its hash so that the contract records who validated it. */
export const validateDdo: Endpoint = {
  names: [],
  method: 'POST',
  path: `${PREFIX}/ddo/validate`,
  anonymous: true,
  doc: {
    summary: 'Validate a DDO',
    description:
      'Checks a DDO before it is published, and signs the SHA-256 of the body so that the contract records who validated it.',
    body: { contentType: 'application/octet-stream', schema: {}, description: 'The DDO as JSON text.' },
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
    errors: ['SANDBOX_UNAVAILABLE'],
  },
  register(app, { chains, documents, settings }) {
    withRawBody(app, (scope) => {
      scope.post(this.path, { bodyLimit: settings.MAX_BODY_SIZE }, async (request) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const read = await documents.validate(body, { signal: request.lifetime.signal })
        if ('problems' in read)
          throw new ValidationError(Object.fromEntries(Object.entries(read.problems).map(([at, why]) => [at, [why]])))
        const key = chains.get(read.chainId)?.key
        if (!key) throw ValidationError.of('chainId', 'This provider does not serve this chain.')
        const { v, r, s } = signDigest(personalDigest(Buffer.from(read.hash.slice(2), 'hex')), key)
        // r and s in lists, which is how metadata caches always answered
        return { hash: read.hash, publicKey: key.address, v, r: [r], s: [s] }
      })
    })
  },
}
