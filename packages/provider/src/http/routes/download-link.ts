import { LinkError, ValidationError } from '@tidegate/protocol'
import type { UserData } from '@tidegate/storage'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AdmittedFile, admit } from '../../access/admission.js'
import { openService } from '../../access/service.js'
import type { AuthenticatedConsumer } from '../../auth/authenticate.js'
import type { Grant } from '../../auth/link-grant.js'
import { modernMessage } from '../../auth/signature.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { Context } from '../context.js'
import { consumerParams, PROOF, proveConsumer } from '../endpoints/consumer.js'
import { json, object } from '../endpoints/docs.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'
import { described, text } from '../endpoints/params.js'
import { publicUrl } from '../endpoints/public-url.js'
import { deliver } from '../files/delivery.js'
import { fallbackName } from '../files/disposition.js'
import { FILE_ERRORS, FILE_REQUEST_HEADERS, FILE_RESPONSES } from '../files/file-docs.js'
import { registerFileRoute } from '../files/file-route.js'
import { FILE_PARAMS } from './download.js'

const PATH = `${PREFIX}/download/link`

/** Whoever has a link has the file: no cache keeps one, and no page that follows a download learns of it. */
const LINK_HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/** Creates a link to a file, for programs that can send neither a header nor a new signature for each request. */
export const createDownloadLink: Endpoint = {
  names: ['downloadLink'],
  method: 'POST',
  path: PATH,
  doc: {
    summary: 'Create a download link',
    description:
      'Verifies the same as a download, and gives a URL that needs no further proof: for GET, HEAD and ranges until it expires. Signed over consumerAddress + nonce + "downloadLink", which no other route accepts. Asset, credentials and order are verified again on each use; deleting the auth token that the link was created with ends it.',
    params: { ...FILE_PARAMS, ...PROOF },
    token: true,
    body: 'json',
    responses: {
      201: json(
        'The link, a secret of its consumer.',
        object({
          url: { type: 'string', format: 'uri' },
          expires: { type: 'integer', description: 'Seconds since 1970 (UTC)' },
        }),
      ),
    },
    errors: FILE_ERRORS,
  },
  register(app, context) {
    const read = consumerParams(FILE_PARAMS, context)
    app.post(PATH, async (request, reply) => {
      const sent = read(request)
      const { documentId, serviceId, consumerAddress, transferTxId } = sent.params
      const userdata = linkUserdata(sent.params.userdata)
      const base = publicUrl(request, context.settings)
      const opened = await openService(context, documentId, serviceId)
      const messages = (nonce: string) => [modernMessage(consumerAddress.text, nonce, 'downloadLink')]
      const consumer = await proveConsumer(sent, consumerAddress, messages, opened.asset.chain, context)
      const admitted = await admit(context, opened, consumer, sent.params, request.lifetime.signal)
      await consumer.consumeNonce()
      const expiresAt = expiryOf(consumer, context)
      const grant = context.links.seal({ ...grantOf(admitted), orderTx: transferTxId, ...userdata, expiresAt })
      const url = `${base}${PATH}/${grant}/${fallbackName(admitted.fileIndex, undefined)}`
      return reply.code(201).headers(LINK_HEADERS).send({ url, expires: expiresAt })
    })
  },
}

/** Sends the file that a link is for. */
export const followDownloadLink: Endpoint = {
  names: [],
  method: 'GET',
  path: `${PATH}/:grant/:name`,
  doc: {
    summary: 'Download a file by its link',
    description:
      'Verifies the link, asset, credentials and order, and streams the file. It counts as a download of the consumer that the link was created for.',
    path: {
      grant: described(text, 'What the link entitles to, sealed.', 'b3BhcXVl'),
      name: described(text, 'A file name for programs that take it from the URL; any other may replace it.', 'file-0'),
    },
    head: true,
    headers: FILE_REQUEST_HEADERS,
    responses: FILE_RESPONSES,
    errors: [
      ...FILE_ERRORS.filter((code) => !code.startsWith('TOKEN_')),
      'LINK_INVALID',
      'LINK_EXPIRED',
      'LINK_REVOKED',
    ],
  },
  register(app, context) {
    registerFileRoute(app, this.path, async (request: FastifyRequest, reply: FastifyReply) => {
      reply.headers(LINK_HEADERS)
      const grant = await context.links.open((request.params as { grant: string }).grant, seconds())
      const { did, serviceId: service, consumer, orderTx: order } = grant
      request.subject = { did, service, consumer, order }
      const opened = await openService(context, did, service)
      const { chainId } = opened.asset.chain
      if (chainId !== grant.chainId) throw new LinkError('LINK_INVALID', 'The download link is for another chain.')
      const wanted = { ...grant, transferTxId: order, userdata: userdataOf(grant) }
      const { signal } = request.lifetime
      return deliver(context, request, reply, await admit(context, opened, consumerOf(grant), wanted, signal))
    })
  },
}

/** The consumer of a link: proven when it was created, so that no nonce is consumed for its use. */
function consumerOf({ consumer: address, chainId, isWallet }: Grant): AuthenticatedConsumer {
  return { address, ...(isWallet ? { chainId } : {}), consumeNonce: async () => undefined }
}

function grantOf({ opened, consumer, fileIndex }: AdmittedFile) {
  const { asset, service } = opened
  return {
    consumer: consumer.address,
    chainId: asset.chain.chainId,
    isWallet: consumer.chainId !== undefined,
    did: asset.ddo.id,
    serviceId: service.id,
    fileIndex,
    ...(consumer.token ? { jti: consumer.token.jti } : {}),
  }
}

/** When a link ends, in seconds since 1970: no later than the token that it is created with. */
function expiryOf({ token }: AuthenticatedConsumer, { settings }: Context): number {
  const expiry = seconds() + settings.DOWNLOAD_LINK_LIFETIME
  return token ? Math.min(expiry, Math.floor(token.expiresAt)) : expiry
}

/** Returns the userdata as the grant holds it. Throws ValidationError if it is too long for a URL. */
function linkUserdata(userdata: UserData | undefined): Pick<Grant, 'userdata'> {
  if (userdata === undefined) return {}
  const written = JSON.stringify(userdata)
  const { userdata: most } = PROVIDER_LIMITS.links
  if (written.length > most)
    throw ValidationError.of('userdata', `The userdata field must not be longer than ${most} characters in a link.`)
  return { userdata: written }
}

function userdataOf({ userdata }: Grant): UserData | undefined {
  return userdata === undefined ? undefined : (JSON.parse(userdata) as UserData)
}

function seconds(): number {
  return Math.floor(Date.now() / 1000)
}
