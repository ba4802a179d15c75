import { SECONDS } from '@tidegate/protocol/constants'
import { type PublishedDescriptions, safeName } from '@tidegate/storage'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Admitted, admit } from '../../access/admission.js'
import { assertFitsLink, claimOf, grantOf, linkLifetime } from '../../access/download-grant.js'
import { describePublished } from '../../access/files/describe-files.js'
import { openService } from '../../access/service.js'
import { secondsNow } from '../../auth/links.js'
import { modernMessage } from '../../auth/signature.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import { PROOF, proveConsumer } from '../endpoints/consumer.js'
import { json, named, object } from '../endpoints/docs.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'
import { withNonce } from '../endpoints/nonce-use.js'
import { described, text, whole } from '../endpoints/params.js'
import { publicUrl } from '../endpoints/public-url.js'
import { archiveName } from '../files/archive.js'
import { fallbackName } from '../files/disposition.js'
import { FILE_ERRORS, FILE_REQUEST_HEADERS, FILE_RESPONSES } from '../files/file-docs.js'
import { registerFileRoute } from '../files/file-route.js'
import type { Services } from '../services.js'
import { FILE_DOC, fileParams } from './download.js'

const lifetime = described(
  whole,
  'Seconds until the link expires, at most DOWNLOAD_LINK_LIFETIME_MAX. Default: DOWNLOAD_LINK_LIFETIME.',
  SECONDS.day,
).optional()

const PATH = `${PREFIX}/download/link`

/** A link opens the file to its reader, so no cache may store it and no page may see it as referrer. */
const LINK_HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/** Creates a link to a file or an archive of all, for programs that cannot send headers or sign each request. */
export const createDownloadLink: Endpoint<'last'> = {
  names: ['downloadLink'],
  method: 'POST',
  path: PATH,
  nonce: 'last',
  doc: {
    operationId: 'createDownloadLink',
    summary: 'Create a download link',
    description:
      'Verifies the same as a download, and gives a URL that needs no further proof: for GET, HEAD and ranges until it expires, at the latest with the order. Signed over consumerAddress + nonce + "downloadLink", which no other route accepts. Asset, credentials and order are verified again on each use; deleting the auth token that the link was created with ends it.',
    params: { ...FILE_DOC, lifetime, ...PROOF },
    token: true,
    body: 'json',
    responses: {
      201: json(
        'The link, a secret of its consumer.',
        named(
          'DownloadLink',
          object({
            url: { type: 'string', format: 'uri' },
            expires: { type: 'integer', description: 'Seconds since 1970 (UTC)' },
          }),
        ),
      ),
    },
    errors: FILE_ERRORS,
  },
  register(app, services) {
    const { settings, access } = services
    const read = fileParams(settings, { lifetime })
    const handler = withNonce(this.nonce, async (request, reply, nonces) => {
      const sent = read(request)
      const { documentId, serviceId, consumerAddress, transferTxId: orderTx, userdata, policyServer } = sent.params
      assertFitsLink({ userdata, policyServer })
      const seconds = linkLifetime(sent.params.lifetime, settings)
      const base = publicUrl(request, settings)
      const opened = await openService(access, documentId, serviceId)
      const messages = (nonce: string) => [modernMessage(consumerAddress.text, nonce, 'downloadLink')]
      const consumer = await proveConsumer(sent, consumerAddress, messages, opened.asset.chain, services, nonces)
      const admitted = await admit(access, opened, consumer, sent.params, request.lifetime)
      return async () => {
        const link = await linkTo(
          admitted,
          { orderTx, userdata, policyServer, lifetime: seconds },
          base,
          request,
          services,
        )
        return reply.code(201).headers(LINK_HEADERS).send(link)
      }
    })
    app.post(PATH, handler)
  },
}

/** Returns a link to admitted files, below the base URL of the service. */
export async function linkTo(
  admitted: Admitted,
  terms: Parameters<typeof grantOf>[1],
  base: string,
  request: FastifyRequest,
  { auth, files }: Pick<Services, 'auth' | 'files'>,
): Promise<{ url: string; expires: number }> {
  const grant = await grantOf(admitted, terms)
  const name = await nameOf(files.descriptions, admitted, request)
  return { url: `${base}${PATH}/${auth.links.seal(grant)}/${encodeURIComponent(name)}`, expires: grant.expiresAt }
}

/** Returns the name of a file, for programs that look at the extension of a URL; a generic one if the storage tells none in time. */
async function nameOf(
  descriptions: PublishedDescriptions,
  { opened, fileIndex }: Admitted,
  { lifetime }: FastifyRequest,
): Promise<string> {
  if (fileIndex === undefined) return archiveName(opened.asset)
  // the consumer has an order, so that no budget of anonymous requests is charged
  const unlimited = { countFile: () => undefined, spend: () => undefined, assertBytesLeft: () => undefined }
  const caller = { deadline: lifetime.deadline(PROVIDER_LIMITS.links.naming), ...unlimited }
  const described = await describePublished(descriptions, opened, fileIndex, caller).catch(() => undefined)
  const name = described?.name && safeName(described.name)
  return name || fallbackName(fileIndex, described?.contentType)
}

/** Sends the file or the archive that a link is for. */
export const followDownloadLink: Endpoint = {
  names: [],
  method: 'GET',
  path: `${PATH}/:grant/:name?`,
  nonce: 'none',
  doc: {
    operationId: 'downloadByLink',
    summary: 'Download a file by its link',
    description:
      'Verifies the link, asset, credentials and order, and streams the file. It counts as a download of the consumer that the link was created for.',
    path: {
      grant: described(text, 'What the link entitles to, sealed.', 'b3BhcXVl'),
      name: described(
        text,
        'The name of the file, for programs that take it from the URL. Any other, or none, may replace it.',
        'file-0',
      ),
    },
    head: true,
    headers: FILE_REQUEST_HEADERS,
    responses: FILE_RESPONSES,
    errors: [
      ...FILE_ERRORS.filter((code) => !code.startsWith('TOKEN_')),
      'LINK_INVALID',
      'LINK_EXPIRED',
      'LINK_REVOKED',
      'LINK_FILE_GONE',
    ],
  },
  register(app, { auth, access, downloads }) {
    registerFileRoute(app, this.path, async (request: FastifyRequest, reply: FastifyReply) => {
      reply.headers(LINK_HEADERS)
      const grant = await auth.links.open((request.params as { grant: string }).grant, secondsNow())
      const { did, serviceId: service, consumer, orderTx: order } = grant
      request.subject = { did, service, consumer, order }
      const opened = await openService(access, did, service)
      const { consumer: holder, wanted } = await claimOf(grant, opened)
      const admitted = await admit(access, opened, holder, wanted, request.lifetime)
      return (await downloads.prepare(request, reply, admitted, access.withheld))()
    })
  },
}
