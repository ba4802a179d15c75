import type { Hex } from 'viem'
import { didsOf } from '../../assets/ddo.js'
import type { PublishedDocument } from '../../assets/index/decode.js'
import { assertReadableNft, documentIn, isSameDocument } from '../../assets/published.js'
import { modernMessage } from '../../auth/signature.js'
import type { Chain } from '../../chain/chains.js'
import type { Context } from '../../context.js'
import { AccessError, AssetError } from '../../errors.js'
import { chainOf } from '../chain.js'
import { consumerParams, PROOF, proveConsumer } from '../consumer.js'
import { type Endpoint, PREFIX } from '../endpoint.js'
import { address, flags, hexBytes, transactionId, whole } from '../params.js'

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
 * Decrypts the published document of a data NFT, for metadata caches. Only what the chain says that this NFT published
 * is decrypted, and only a DDO of this NFT is answered: so it never serves to read an encrypted files object.
 */
export const decrypt: Endpoint = {
  names: ['decrypt'],
  method: 'POST',
  path: `${PREFIX}/decrypt`,
  doc: {
    summary: 'Decrypt a published document',
    description:
      'For metadata caches: the DDO that a data NFT published, by the transaction, or by the encrypted document with flags and hash. Signed over (transactionId, else dataNftAddress) + decrypterAddress + chainId + nonce, or decrypterAddress + nonce + "decryptDDO". The nonce is used up by a request that is refused as well.',
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
      'CHAIN_UNAVAILABLE',
      'SANDBOX_UNAVAILABLE',
    ],
  },
  register(app, context) {
    const { settings, chains, documents, receipts } = context
    const read = consumerParams(params, context)
    app.post(this.path, { bodyLimit: settings.MAX_BODY_SIZE }, async (request, reply) => {
      const sent = read(request)
      const { decrypterAddress, dataNftAddress, chainId, transactionId: txId, ...document } = sent.params
      const chain = chainOf(chainId, chains)
      const decrypter = await proveConsumer(
        sent,
        decrypterAddress,
        (nonce) => [
          (txId ?? dataNftAddress.text) + decrypterAddress.text + chainId + nonce,
          modernMessage(decrypterAddress.text, nonce, 'decryptDDO'),
        ],
        chain,
        context,
      )
      // before anything that costs: what is refused, too, is refused once
      await decrypter.consumeNonce()
      if (settings.AUTHORIZED_DECRYPTERS && !settings.AUTHORIZED_DECRYPTERS.includes(decrypter.address))
        throw new AccessError('DECRYPTER_DENIED', 'This address may not decrypt documents here.')
      const nft = dataNftAddress.address
      const { signal } = request.lifetime
      await assertReadableNft(chain, nft)
      const published = txId
        ? documentIn((await receipts.find(chain, txId, settings.ORDER_WAIT, signal))?.receipt, nft)
        : await namedDocument(context, chain, nft, document, signal)
      const decoded = await documents.decode(published, { nft, chain }, { signal })
      if ('reason' in decoded)
        throw new AssetError('DOCUMENT_UNREADABLE', `The document cannot be given: ${decoded.reason}.`)
      return reply.code(201).type('text/plain; charset=utf-8').send(decoded.ddo)
    })
  },
}

interface NamedDocument {
  encryptedDocument?: Hex
  flags?: Hex
  documentHash?: Hex
}

/** The document that the caller sends, where it is byte by byte what the NFT published last. */
async function namedDocument(
  { indexed, settings, receipts }: Context,
  chain: Chain,
  nft: `0x${string}`,
  { encryptedDocument: data, flags: marks, documentHash: hash }: NamedDocument,
  signal: AbortSignal,
): Promise<PublishedDocument> {
  const unknown = new AssetError('DOCUMENT_UNKNOWN', 'The document is not the one that this data NFT published.')
  const found = await Promise.all(didsOf(nft, chain.chainId).map((did) => indexed.asset(did)))
  const asset = found.find((one) => one)
  if (!asset || data === undefined || marks === undefined || hash === undefined) throw unknown
  const mined = await receipts.find(chain, asset.metadata.txId, settings.ORDER_WAIT, signal)
  const published = documentIn(mined?.receipt, nft)
  if (!isSameDocument(published, { data, flags: marks, hash })) throw unknown
  return published
}
