import { didOf } from '@tidegate/protocol/documents'
import { PublishedDocuments } from '../../access/published-documents.js'
import { modernMessage } from '../../auth/signature.js'
import { chainOf } from '../endpoints/chain.js'
import { consumerParams, PROOF, proveConsumer } from '../endpoints/consumer.js'
import { assertDecrypter } from '../endpoints/decrypters.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'
import { withNonce } from '../endpoints/nonce-use.js'
import { address, flags, hexBytes, transactionId, whole } from '../endpoints/params.js'

const params = {
  decrypterAddress: address,
  chainId: whole,
  dataNftAddress: address,
  transactionId: transactionId.optional(),
  encryptedDocument: hexBytes.optional(),
  flags: flags.optional(),
  documentHash: transactionId.optional(),
}

/**
 * Decrypts the published document of a data NFT, for metadata caches. Accepts only documents that this NFT has published
 * and returns only a DDO of this NFT, so that nobody can decrypt a files object.
 */
export const decrypt: Endpoint<'first'> = {
  names: ['decrypt'],
  method: 'POST',
  path: `${PREFIX}/decrypt`,
  nonce: 'first',
  doc: {
    summary: 'Decrypt a published document',
    description:
      'For metadata caches: the DDO that a data NFT published, by the transaction, or by the encrypted document with flags and hash. Signed over (transactionId, else dataNftAddress) + decrypterAddress + chainId + nonce, or decrypterAddress + nonce + "decryptDDO". A refused request consumes the nonce as well. What was published a moment ago is waited for, for ORDER_WAIT at most.',
    params: { ...params, ...PROOF },
    body: 'json',
    token: true,
    responses: {
      201: {
        description: 'The document.',
        content: { 'text/plain': { schema: { type: 'string' }, example: '{"id":"did:op:…"}' } },
      },
    },
    errors: [
      'UNKNOWN_CHAIN',
      'DECRYPTER_DENIED',
      'NFT_UNKNOWN',
      'DOCUMENT_UNKNOWN',
      'DOCUMENT_UNREADABLE',
      'ASSET_NOT_CONSUMABLE',
      'TAKEN_DOWN',
      'CHAIN_UNAVAILABLE',
      'SANDBOX_UNAVAILABLE',
    ],
  },
  register(app, services) {
    const { settings, chains, catalog, access } = services
    const read = consumerParams(params, settings)
    const documents = new PublishedDocuments(catalog, settings.ORDER_WAIT)
    const handler = withNonce(this.nonce, async (request, reply, nonces) => {
      const sent = read(request)
      const { decrypterAddress, dataNftAddress, chainId, transactionId: txId, ...document } = sent.params
      const chain = chainOf(chainId, chains)
      const messages = (nonce: string) => [
        (txId ?? dataNftAddress.text) + decrypterAddress.text + chainId + nonce,
        modernMessage(decrypterAddress.text, nonce, 'decryptDDO'),
      ]
      const decrypter = await proveConsumer(sent, decrypterAddress, messages, chain, services, nonces)
      await assertDecrypter(decrypter.address, chain.chainId, settings, access.accessLists)
      const nft = { chain, address: dataNftAddress.address }
      await access.withheld.assertShown(didOf(nft.address, chain.chainId))
      const ddo = await documents.decrypt(nft, { txId, ...document }, request.lifetime.signal)
      return reply.code(201).type('text/plain').send(Buffer.from(ddo))
    })
    app.post(this.path, { bodyLimit: settings.MAX_BODY_SIZE }, handler)
  },
}
