import type { Hosting } from '@tidegate/hosting'
import { HostingError, ValidationError } from '@tidegate/protocol'
import { DEV_CHAIN_ID } from '@tidegate/protocol/networks'
import type { FastifyRequest } from 'fastify'
import { authenticateHolder, authenticateToken, type ProvenConsumer } from '../../auth/authenticate.js'
import { type Command, modernMessage } from '../../auth/signature.js'
import { walletChain } from '../endpoints/chain.js'
import { consumerParams, PROOF, type Provers, proveConsumer } from '../endpoints/consumer.js'
import type { NonceUse } from '../endpoints/nonce-use.js'
import { address, described, text, whole } from '../endpoints/params.js'
import type { Uploads } from '../services.js'

/** Parameters of every request about uploads, in the query or as headers: clients of tus set headers more easily. */
const UPLOADER_PARAMS = {
  address: described(address, 'Address of the publisher; with an auth token it may be left out.').optional(),
  chainId: described(
    whole,
    'Chain of the address, if it is a contract wallet, signs, and several chains are served. A token holds its own.',
    DEV_CHAIN_ID,
  ).optional(),
}

/** Proof of an uploader, for the API description. */
export const UPLOADER_PROOF = { ...UPLOADER_PARAMS, ...PROOF }

/** The id of a file in a path. */
export const UPLOAD_ID = described(text, 'Id of the file: a secret of its publisher.', 'x'.repeat(43))

/** An authenticated publisher. */
export interface ProvenUploader {
  address: string
  /** Owner of the files: the address, and for a contract wallet its chain, since others may own it elsewhere. */
  owner: string
}

/** The effect of a request about uploads. `read` discloses no more than the list of files; `change` is everything else. */
export type UploaderAction = 'read' | 'change'

/**
 * Creates the authentication of uploaders: by token, or by signature. A change is signed over address + nonce + "upload".
 * Reading is signed over address + nonce + "listUploads", which consumes no nonce and opens nothing else. A signature for
 * a change is good for reading as well; its nonce is then consumed. It throws ValidationError, TokenError,
 * ChainError, StateError.
 */
export function uploaderProof(
  provers: Provers,
  action: UploaderAction,
): (request: FastifyRequest, nonces: NonceUse) => Promise<ProvenUploader> {
  const commands: Command[] = action === 'read' ? ['listUploads', 'upload'] : ['upload']
  const { settings, chains, auth } = provers
  const read = consumerParams(UPLOADER_PARAMS, settings)
  return async (request, nonces) => {
    const sent = read(withProofHeaders(request))
    const { address: claimed, chainId } = sent.params
    const consumer = await prove()
    if (action === 'read' && !consumer.message?.endsWith('upload')) nonces.spare()
    const owner = consumer.chainId === undefined ? consumer.address : `${consumer.address} ${consumer.chainId}`
    return { address: consumer.address, owner }

    async function prove(): Promise<ProvenConsumer> {
      const { credentials } = sent
      const { tokens } = auth
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
      return proveConsumer(sent, claimed, messages, chain, provers, nonces).catch((error: unknown) => {
        throw chain ? error : unlessWallet(error, chainId)
      })
    }
  }
}

/** Adds to a refused signature that it may be a contract wallet's, whose chain is unknown. */
function unlessWallet(error: unknown, chainId: number | undefined): unknown {
  if (!(error instanceof ValidationError) || !error.fields.signature) return error
  const reason =
    chainId === undefined
      ? 'The chainId field is required if the address is a contract wallet, as several chains are served.'
      : 'The chainId field must be a chain that this provider serves if the address is a contract wallet.'
  return new ValidationError({ ...error.fields, chainId: [reason] })
}

/** Returns the hosting of this provider. Throws HostingError if it is off. */
export function hostingOf({ hosting }: Pick<Uploads, 'hosting'>): Hosting {
  if (!hosting) throw new HostingError('HOSTING_OFF', 'This provider hosts no files.')
  return hosting
}

const PROOF_HEADERS = ['address', 'chainId', 'nonce', 'signature']

/** Returns the request with the headers of a proof in its query, which wins. The body is the file, and left out. */
function withProofHeaders({ query, headers }: FastifyRequest): FastifyRequest {
  const named = PROOF_HEADERS.map((name) => [name, headers[name.toLowerCase()]])
  const sent = Object.fromEntries(named.filter(([, value]) => value !== undefined))
  return { query: { ...sent, ...(query as object) }, headers, body: undefined } as FastifyRequest
}
