import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { admit } from '../../access/admission.js'
import { openService } from '../../access/service.js'
import { modernMessage } from '../../auth/signature.js'
import { consumerParams, PROOF, proveConsumer } from '../endpoints/consumer.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'
import { withNonce } from '../endpoints/nonce-use.js'
import { policyServer, userdata } from '../endpoints/object-params.js'
import { address, archiveForm, sentParams, text, transactionId, whole } from '../endpoints/params.js'
import { FILE_ERRORS, FILE_REQUEST_HEADERS, FILE_RESPONSES } from '../files/file-docs.js'
import { registerFileRoute } from '../files/file-route.js'
import type { Services } from '../services.js'

/** The parameters that name files and their order. */
const ORDER_PARAMS = {
  documentId: text,
  serviceId: text,
  transferTxId: transactionId,
  consumerAddress: address,
  userdata: userdata.optional(),
  policyServer: policyServer.optional(),
}

/** The parameters that name a file and its order. */
const FILE_PARAMS = { ...ORDER_PARAMS, fileIndex: whole }

/** The parameters that name an archive of all files, and their order. */
const ARCHIVE_PARAMS = {
  ...ORDER_PARAMS,
  fileIndex: z.undefined('must not be sent together with archive').optional(),
  archive: archiveForm,
}

/** The parameters of both, for the API description. */
export const FILE_DOC = { ...FILE_PARAMS, fileIndex: whole.optional(), archive: archiveForm.optional() }

/** Creates the reader of the parameters of one file, or of an archive, and of `more`. It throws ValidationError. */
export function fileParams<T extends z.ZodRawShape>(settings: Services['settings'], more: T) {
  const one = consumerParams({ ...FILE_PARAMS, ...more }, settings)
  const all = consumerParams({ ...ARCHIVE_PARAMS, ...more }, settings)
  return (request: FastifyRequest) => {
    const input = sentParams(request)
    return input.archive === undefined ? one(request, input) : all(request, input)
  }
}

/** Verifies consumer, asset and order, and streams the file, or an archive of all. */
export const download: Endpoint<'last'> = {
  names: ['download'],
  method: 'GET',
  path: `${PREFIX}/download`,
  nonce: 'last',
  doc: {
    summary: 'Download a file',
    description:
      'Verifies signature or token, nonce, asset and order, and streams the file. Signed over documentId + nonce, or consumerAddress + nonce + "download". Range and conditional headers are forwarded to the storage. archive=zip replaces fileIndex: the response is a ZIP archive of all files of the service, without ranges, and with a length if this provider hosts all files. A file that fails cuts the connection.',
    params: { ...FILE_DOC, ...PROOF },
    token: true,
    head: true,
    headers: FILE_REQUEST_HEADERS,
    responses: FILE_RESPONSES,
    errors: FILE_ERRORS,
  },
  register(app, services) {
    const { settings, access, downloads } = services
    const read = fileParams(settings, {})
    const handler = withNonce(this.nonce, async (request, reply, nonces) => {
      const sent = read(request)
      const { documentId, serviceId, consumerAddress, transferTxId } = sent.params
      const opened = await openService(access, documentId, serviceId)
      request.subject = { did: documentId, service: serviceId, consumer: consumerAddress.text, order: transferTxId }
      const messages = (nonce: string) => [documentId + nonce, modernMessage(consumerAddress.text, nonce, 'download')]
      const consumer = await proveConsumer(sent, consumerAddress, messages, opened.asset.chain, services, nonces)
      const isHead = request.method === 'HEAD'
      const admitted = await admit(access, opened, consumer, sent.params, {
        signal: request.lifetime,
        consumeNonce: isHead ? undefined : () => nonces.consume(),
      })
      // a GET with the same signature may follow
      if (isHead) nonces.spare()
      return downloads.prepare(request, reply, admitted, access.withheld)
    })
    registerFileRoute(app, this.path, handler)
  },
}
