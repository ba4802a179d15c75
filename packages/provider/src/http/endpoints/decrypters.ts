import { AccessError, type IndexedAsset } from '@tidegate/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Address } from 'viem'
import type { AccessLists } from '../../access/rules/access-lists.js'
import { isNamed, namedAccounts } from '../../access/rules/named-accounts.js'
import { modernMessage } from '../../auth/signature.js'
import type { Settings } from '../../config/schema.js'
import type { Services } from '../services.js'
import { chainOf } from './chain.js'
import { optionalProof, optionalProver, PROOF } from './consumer.js'
import type { NonceUse } from './nonce-use.js'
import { address, described } from './params.js'

/** The parameters that authenticate a decrypter, for the API description. */
export const DECRYPTER_PARAMS = {
  decrypterAddress: described(
    address,
    'Address that signed. Needed with a signature, if the operator restricts encrypted documents to certain addresses.',
  ).optional(),
  ...optionalProof(PROOF),
}

/** Returns the accounts that may read encrypted documents; undefined if everybody may. */
function readersOf({ AUTHORIZED_DECRYPTERS: addresses, AUTHORIZED_DECRYPTERS_LIST: lists }: Settings) {
  return namedAccounts(addresses, lists?.byChain)
}

/** Whether only some accounts may read encrypted documents. Their content is then secret for all others. */
export function isReadingRestricted(settings: Settings): boolean {
  return readersOf(settings) !== undefined
}

/**
 * Throws AccessError unless the account may read encrypted documents of a chain. Throws ChainError if an access list
 * decides and no node answers.
 */
export async function assertDecrypter(
  account: Address,
  chainId: number,
  settings: Settings,
  accessLists: AccessLists,
): Promise<void> {
  const readers = readersOf(settings)
  if (readers && !(await isNamed(readers, account, chainId, accessLists)))
    throw new AccessError('DECRYPTER_DENIED', 'This address may not read encrypted documents here.')
}

/** Refuses the request for a document that the caller may not read. */
export type DecrypterCheck = (
  request: FastifyRequest,
  reply: FastifyReply,
  asset: IndexedAsset,
  nonces: NonceUse,
) => Promise<void>

/**
 * Creates the check of callers who request an indexed document. If the settings name decrypters, only those may read
 * documents that are encrypted on the chain: they sign decrypterAddress + nonce + "decryptDDO", or send a token, also
 * without an address. The check throws AccessError, ValidationError, TokenError, ChainError.
 */
export function decrypterCheck(services: Pick<Services, 'settings' | 'chains' | 'auth' | 'access'>): DecrypterCheck {
  const { settings, chains, access } = services
  if (!readersOf(settings)) return async () => undefined
  const messages = (reader: string, nonce: string) => [modernMessage(reader, nonce, 'decryptDDO')]
  const prove = optionalProver('decrypterAddress', messages, services)
  return async (request, reply, { chainId, metadata }, nonces) => {
    if (!metadata.encrypted || metadata.ddo === null) return
    // a shared cache would serve it to others
    reply.header('cache-control', 'no-store')
    const reader = await prove(request, chainOf(chainId, chains), nonces)
    if (!reader)
      throw new AccessError(
        'DECRYPTER_DENIED',
        'The document is encrypted on the chain. This provider returns it only to authorized addresses, for their signature or token.',
      )
    await assertDecrypter(reader.address, chainId, settings, access.accessLists)
  }
}
