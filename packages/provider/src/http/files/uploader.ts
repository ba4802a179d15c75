import type { Hosting } from '@tidegate/hosting'
import { HostingError, ValidationError } from '@tidegate/protocol'
import type { FastifyRequest } from 'fastify'
import { type AuthenticatedConsumer, authenticateHolder, authenticateToken } from '../../auth/authenticate.js'
import { type Command, modernMessage } from '../../auth/signature.js'
import type { Context } from '../context.js'
import { walletChain } from '../endpoints/chain.js'
import { consumerParams, PROOF, proveConsumer } from '../endpoints/consumer.js'
import { address, described, text, whole } from '../endpoints/params.js'

/** Parameters of every request about uploads, in the query or as headers: clients of tus set headers more easily. */
const UPLOADER_PARAMS = {
  address: described(address, 'Address of the publisher; with an auth token it may be left out.').optional(),
  chainId: described(
    whole,
    'Chain of the address, if it is a contract wallet, signs, and several chains are served. A token holds its own.',
    8996,
  ).optional(),
}

/** For the description: proof of an uploader, where a token takes its place. */
export const UPLOADER_PROOF = { ...UPLOADER_PARAMS, ...PROOF }

/** The id of a file in a path. */
export const UPLOAD_ID = described(text, 'Id of the file: a secret of its publisher.', 'x'.repeat(43))

/** A publisher who has proven to be one. */
export interface ProvenUploader {
  address: string
  /** What files are stored under: a contract wallet is itself on its own chain alone. */
  owner: string
  consumeNonce: AuthenticatedConsumer['consumeNonce']
}

/** What a request about uploads does: `read` discloses nothing that the list does not, `change` is everything else. */
export type UploaderAction = 'read' | 'change'

/**
 * Returns what authenticates the uploader of a request: by token, or by signature. A change is signed over
 * address + nonce + "upload". Reading is signed over address + nonce + "listUploads", which consumes no nonce and opens
 * nothing else; a signature for a change is good for reading as well, and its nonce is then consumed here. It throws
 * ValidationError, TokenError, ChainError, StateError.
 */
export function uploaderProof(
  context: Context,
  action: UploaderAction,
): (request: FastifyRequest) => Promise<ProvenUploader> {
  const commands: Command[] = action === 'read' ? ['listUploads', 'upload'] : ['upload']
  const read = consumerParams(UPLOADER_PARAMS, context)
  return async (request) => {
    const sent = read(withProofHeaders(request))
    const { address: claimed, chainId } = sent.params
    const consumer = await prove()
    if (action === 'read' && consumer.message?.endsWith('upload')) await consumer.consumeNonce()
    const owner = consumer.chainId === undefined ? consumer.address : `${consumer.address} ${consumer.chainId}`
    return { address: consumer.address, owner, consumeNonce: consumer.consumeNonce }

    async function prove(): Promise<AuthenticatedConsumer> {
      const { credentials } = sent
      const { tokens, chains } = context
      if (credentials && 'token' in credentials) {
        const { token } = credentials
        const chain = chainId === undefined ? 'any' : chains.get(chainId)
        return claimed
          ? authenticateToken(claimed.address, token, tokens, chain)
          : authenticateHolder(token, tokens, chain)
      }
      if (!claimed) throw ValidationError.of('address', 'The address field is required.')
      const chain = walletChain(chainId, chains)
      const messages = (nonce: string) => commands.map((command) => modernMessage(claimed.text, nonce, command))
      return proveConsumer(sent, claimed, messages, chain, context).catch((error: unknown) => {
        throw chain ? error : unlessWallet(error, chainId)
      })
    }
  }
}

/** Adds to a refused signature that it may be a contract wallet's, which no chain was asked for. */
function unlessWallet(error: unknown, chainId: number | undefined): unknown {
  if (!(error instanceof ValidationError) || !error.fields.signature) return error
  const reason =
    chainId === undefined
      ? 'The chainId field is required if the address is a contract wallet, as several chains are served.'
      : 'The chainId field must be a chain that this provider serves if the address is a contract wallet.'
  return new ValidationError({ ...error.fields, chainId: [reason] })
}

/** Returns the hosting of this provider. Throws HostingError where it is off. */
export function hostingOf({ hosting }: Context): Hosting {
  if (!hosting) throw new HostingError('HOSTING_OFF', 'This provider hosts no files.')
  return hosting
}

const PROOF_HEADERS = ['address', 'chainId', 'nonce', 'signature']

/** Returns a request whose query has what was sent as headers; the query wins. It has no body: that is the file. */
function withProofHeaders({ query, headers }: FastifyRequest): FastifyRequest {
  const named = PROOF_HEADERS.map((name) => [name, headers[name.toLowerCase()]])
  const sent = Object.fromEntries(named.filter(([, value]) => value !== undefined))
  return { query: { ...sent, ...(query as object) }, headers, body: undefined } as FastifyRequest
}
