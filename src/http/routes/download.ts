import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { assertAdmitted } from '../../access/policy.js'
import { openService } from '../../access/service.js'
import { authenticate } from '../../auth/authenticate.js'
import { modernMessage } from '../../auth/signature.js'
import { verifyOrder } from '../../orders/verify.js'
import { discard } from '../../storage/egress.js'
import type { OpenedFile, OpenRequest } from '../../storage/storage.js'
import { contentDisposition } from '../disposition.js'
import { type Endpoint, PREFIX } from '../endpoint.js'
import { sendFixed } from '../errors.js'
import { address, nonce, readParams, text, transactionId, whole } from '../params.js'

const PASSED_REQUEST_HEADERS = ['range', 'if-range', 'if-none-match', 'if-modified-since'] as const

/** Verifies the consumer, the asset and the order, and streams the file. */
export const download: Endpoint = {
  names: ['download'],
  method: 'GET',
  path: `${PREFIX}/download`,
  register(app, context) {
    const { settings, store } = context
    const params = z.object({
      documentId: text,
      serviceId: text,
      transferTxId: transactionId,
      fileIndex: whole,
      consumerAddress: address,
      nonce: nonce(settings.NONCE_MAX_AHEAD),
      signature: text,
    })
    // HEAD by hand: the framework's own form of it replaces the length of the file
    app.route({ method: 'HEAD', url: this.path, handler })
    app.route({ method: 'GET', url: this.path, exposeHeadRoute: false, handler })
    async function handler(request: FastifyRequest, reply: FastifyReply) {
      const asked = readParams(params, request)
      const opened = await openService(context, asked.documentId, asked.serviceId)
      const { asset, service, index } = opened
      const { text: addressText, address: claimed } = asked.consumerAddress
      const consumer = await authenticate(
        {
          address: claimed,
          nonce: asked.nonce,
          signature: asked.signature,
          messages: [asked.documentId + asked.nonce.text, modernMessage(addressText, asked.nonce.text, 'download')],
        },
        store.nonces,
      )
      assertAdmitted(consumer.address, [asset.ddo.credentials, service.credentials])
      const file = opened.file(asked.fileIndex)
      await verifyOrder(
        {
          chain: asset.chain,
          txId: asked.transferTxId,
          datatoken: service.datatokenAddress,
          serviceIndex: index,
          serviceId: service.id,
          timeout: service.timeout,
          consumer: consumer.address,
        },
        settings.ORDER_WAIT,
        Math.floor(Date.now() / 1000),
      )
      await consumer.consumeNonce()
      return sendFile(reply, await file.open(openRequest(request)), `file-${asked.fileIndex}`)
    }
  },
}

function openRequest({ method, headers }: FastifyRequest): OpenRequest {
  const passed: OpenRequest['headers'] = {}
  for (const name of PASSED_REQUEST_HEADERS) {
    const value = headers[name]
    if (typeof value === 'string') passed[name] = value
  }
  return { method: method === 'HEAD' ? 'HEAD' : 'GET', headers: passed }
}

/** Streams an opened file; nothing of the storage's headers passes but what the file's own description needs. */
function sendFile(reply: FastifyReply, { status, headers, name, body }: OpenedFile, fallback: string): FastifyReply {
  reply.code(status).headers({ ...headers, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  if (status === 416) {
    discard(body)
    return sendFixed(reply.removeHeader('content-length'), 'RANGE')
  }
  if (status !== 304) {
    reply.header('content-disposition', contentDisposition(name, fallback))
    if (!headers['content-type']) reply.type('application/octet-stream')
    if (reply.request.method !== 'HEAD') return reply.send(body)
  }
  discard(body)
  return reply.send()
}
