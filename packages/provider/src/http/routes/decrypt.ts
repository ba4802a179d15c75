import { assertReadableNft, documentIn, isSameDocument } from '@tidegate/catalog'
import type { Chain } from '@tidegate/chain'
import { AssetError, assertReadable, RequestError } from '@tidegate/protocol'
import { didsOf, type PublishedDocument } from '@tidegate/protocol/documents'
import type { Address, Hex } from 'viem'
import { modernMessage } from '../../auth/signature.js'
import type { Context } from '../context.js'
import { chainOf } from '../endpoints/chain.js'
import { consumerParams, PROOF, proveConsumer } from '../endpoints/consumer.js'
import { assertDecrypter } from '../endpoints/decrypters.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'
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
 * Decrypts the published document of a data NFT, for metadata caches. Decrypts only what this NFT published on the
 * chain, and returns only a DDO of this NFT, so that the route cannot be used to read an encrypted files object.
 */
export const decrypt: Endpoint = {
  names: ['decrypt'],
  method: 'POST',
  path: `${PREFIX}/decrypt`,
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
      'CHAIN_UNAVAILABLE',
      'SANDBOX_UNAVAILABLE',
    ],
  },
  register(app, context) {
    const { settings, chains } = context
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
      // before any expensive work: a refused request cannot be replayed either
      await decrypter.consumeNonce()
      await assertDecrypter(decrypter.address, chain.chainId, context)
      const nft = dataNftAddress.address
      const { abortSignal: signal } = request.lifetime
      const ddo =
        (txId && (await indexedDocument(context, chain, nft, txId))) ??
        (await decoded(
          context,
          chain,
          nft,
          await published(context, chain, nft, { txId, ...document }, signal),
          signal,
        ))
      return reply.code(201).type('text/plain').send(Buffer.from(ddo))
    })
  },
}

/** Returns the document that a transaction published if the index has it, which costs no node request. */
async function indexedDocument(
  { indexed }: Context,
  chain: Chain,
  nft: Address,
  txId: Hex,
): Promise<string | undefined> {
  const metadata = (await indexedAsset(indexed, chain, nft))?.metadata
  if (metadata?.ddo == null || metadata.txId.toLowerCase() !== txId) return undefined
  assertReadable(metadata.state)
  return metadata.ddo
}

async function indexedAsset(indexed: Context['indexed'], chain: Chain, nft: Address) {
  const found = await Promise.all(didsOf(nft, chain.chainId).map((did) => indexed.asset(did)))
  return found.find((asset) => asset)
}

/** Decrypts and checks a document. Throws AssetError. */
async function decoded(
  { documents }: Context,
  chain: Chain,
  nft: Address,
  document: PublishedDocument,
  signal: AbortSignal,
): Promise<string> {
  const read = await documents.decode(document, { nft, chain }, { signal })
  if ('ddo' in read) return read.ddo
  throw new AssetError('DOCUMENT_UNREADABLE', `The document cannot be given: ${read.reason}.`)
}

/** Returns what a data NFT published, by transaction or as the caller names it. Throws AssetError, RequestError. */
async function published(
  context: Context,
  chain: Chain,
  nft: Address,
  { txId, ...document }: NamedDocument & { txId: Hex | undefined },
  signal: AbortSignal,
): Promise<PublishedDocument> {
  const { receipts, settings, catchingUp } = context
  if (!txId) {
    await assertReadableNft(chain, nft)
    // it may have just been published
    await catchingUp.toHead(chain, settings.ORDER_WAIT, signal)
    return namedDocument(context, chain, nft, document, signal)
  }
  const find = () => receipts.find(chain, txId, settings.ORDER_WAIT, signal)
  try {
    await assertReadableNft(chain, nft)
  } catch (error) {
    // the transaction that deploys the NFT may not be mined yet
    if (!(error instanceof RequestError) || !(await find())) throw error
    await assertReadableNft(chain, nft)
  }
  return documentIn((await find())?.receipt, nft)
}

interface NamedDocument {
  encryptedDocument?: Hex | undefined
  flags?: Hex | undefined
  documentHash?: Hex | undefined
}

/** Returns the last document of the NFT if the caller's is identical, byte by byte. Throws AssetError otherwise. */
async function namedDocument(
  { indexed, settings, receipts }: Context,
  chain: Chain,
  nft: Address,
  { encryptedDocument: data, flags: documentFlags, documentHash: hash }: NamedDocument,
  signal: AbortSignal,
): Promise<PublishedDocument> {
  const unknown = new AssetError('DOCUMENT_UNKNOWN', 'The document is not the one that this data NFT published.')
  const asset = await indexedAsset(indexed, chain, nft)
  if (!asset || data === undefined || documentFlags === undefined || hash === undefined) throw unknown
  const mined = await receipts.find(chain, asset.metadata.txId, settings.ORDER_WAIT, signal)
  const published = documentIn(mined?.receipt, nft)
  if (!isSameDocument(published, { data, flags: documentFlags, hash })) throw unknown
  return published
}
