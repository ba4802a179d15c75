import type { FastifyReply, FastifyRequest } from 'fastify'
import { admit } from '../../access/admission.js'
import { openService } from '../../access/service.js'
import { modernMessage } from '../../auth/signature.js'
import { consumerParams, PROOF, proveConsumer } from '../endpoints/consumer.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'
import { address, text, transactionId, whole } from '../endpoints/params.js'
import { userdata } from '../endpoints/userdata.js'
import { FILE_ERRORS, FILE_REQUEST_HEADERS, FILE_RESPONSES } from '../files/file-docs.js'
import { registerFileRoute } from '../files/file-route.js'

/** The parameters that name a file and its order. */
export const FILE_PARAMS = {
  documentId: text,
  serviceId: text,
  transferTxId: transactionId,
  fileIndex: whole,
  consumerAddress: address,
  userdata: userdata.optional(),
}

/** Verifies consumer, asset and order, and streams the file. */
export const download: Endpoint = {
  names: ['download'],
  method: 'GET',
  path: `${PREFIX}/download`,
  doc: {
    summary: 'Download a file',
    description:
      'Verifies signature or token, nonce, asset and order, and streams the file. Signed over documentId + nonce, or consumerAddress + nonce + "download". Range and conditional headers are forwarded to the storage.',
    params: { ...FILE_PARAMS, ...PROOF },
    token: true,
    head: true,
    headers: FILE_REQUEST_HEADERS,
    responses: FILE_RESPONSES,
    errors: FILE_ERRORS,
  },
  register(app, services) {
    const { settings, access, downloads } = services
    const read = consumerParams(FILE_PARAMS, settings)
    registerFileRoute(app, this.path, async (request: FastifyRequest, reply: FastifyReply) => {
      const sent = read(request)
      const { documentId, serviceId, consumerAddress, transferTxId } = sent.params
      const opened = await openService(access, documentId, serviceId)
      request.subject = { did: documentId, service: serviceId, consumer: consumerAddress.text, order: transferTxId }
      const messages = (nonce: string) => [documentId + nonce, modernMessage(consumerAddress.text, nonce, 'download')]
      const consumer = await proveConsumer(sent, consumerAddress, messages, opened.asset.chain, services)
      const admitted = await admit(access, opened, consumer, sent.params, request.lifetime.signal)
      return downloads.send(request, reply, admitted)
    })
  },
}
