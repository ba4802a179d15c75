import type { FastifyReply, FastifyRequest } from 'fastify'
import { modernMessage } from '../auth/signature.js'
import type { Context } from '../context.js'
import { AccessError } from '../errors.js'
import type { IndexedAsset } from '../state/store.js'
import { chainOf } from './chain.js'
import { consumerParams, optionalProof, PROOF, proveConsumer } from './consumer.js'
import { credentialsOf } from './credentials.js'
import { address, described } from './params.js'

/** The parameters by which somebody proves to be one who may read encrypted documents, for the published description. */
export const READER = {
  decrypterAddress: described(
    address,
    'Address that signed, where the operator gives encrypted documents to certain addresses alone.',
  ).optional(),
  ...optionalProof(PROOF),
}

/** Refuses a request for the document of an asset to who may not read it. */
export type ReaderCheck = (request: FastifyRequest, reply: FastifyReply, asset: IndexedAsset) => Promise<void>

/**
 * Makes the check of whoever asks for an indexed document: where AUTHORIZED_DECRYPTERS is set, what is encrypted on the
 * chain is for those alone, who sign decrypterAddress + nonce + "decryptDDO", or send a token. The check throws
 * AccessError, ValidationError, TokenError, ChainError.
 */
export function readerCheck(context: Context): ReaderCheck {
  const { AUTHORIZED_DECRYPTERS: readers } = context.settings
  if (!readers) return async () => undefined
  const read = consumerParams({ decrypterAddress: address }, context)
  return async (request, reply, { chainId, metadata }) => {
    if (!metadata.encrypted || metadata.ddo === null) return
    // what one may read is nothing for a cache between here and others
    reply.header('cache-control', 'no-store')
    if (!credentialsOf(request))
      throw new AccessError(
        'DECRYPTER_DENIED',
        'The document is encrypted on the chain. This provider gives it to certain addresses alone, for their signature or token.',
      )
    const sent = read(request)
    const { decrypterAddress } = sent.params
    const messages = (nonce: string) => [modernMessage(decrypterAddress.text, nonce, 'decryptDDO')]
    const reader = await proveConsumer(sent, decrypterAddress, messages, chainOf(chainId, context.chains), context)
    await reader.consumeNonce()
    if (!readers.includes(reader.address))
      throw new AccessError('DECRYPTER_DENIED', 'This address may not read encrypted documents here.')
  }
}
