import type { FastifyReply, FastifyRequest } from 'fastify'
import { environmentsFor } from '../../access/environments.js'
import { completeUserdata } from '../../access/parameters.js'
import { assertAdmitted } from '../../access/policy.js'
import { openService } from '../../access/service.js'
import { modernMessage } from '../../auth/signature.js'
import { ERROR_CATALOGUE, type ErrorCode } from '../../errors.js'
import { verifyOrder } from '../../orders/verify.js'
import type { OpenRequest } from '../../storage/storage.js'
import { consumerParams, PROOF, proveConsumer } from '../consumer.js'
import { type EndpointDoc, json } from '../docs.js'
import { type Endpoint, PREFIX } from '../endpoint.js'
import { beginTransfer } from '../limits.js'
import { address, text, transactionId, whole } from '../params.js'
import { count, endWhenUntaken, isWhole, sendFile } from '../transfer.js'
import { userdata } from '../userdata.js'
import { conditionsFor, type TaggedFile, withSealedTag } from '../validators.js'

const params = {
  documentId: text,
  serviceId: text,
  transferTxId: transactionId,
  fileIndex: whole,
  consumerAddress: address,
  userdata: userdata.optional(),
}

const ANY_CONTENT = { '*/*': { schema: {} } }

const VALIDATOR = {
  description: "The service's own validator of this file; it stands for the storage's, and tells nothing of it",
  schema: { type: 'string' },
}

const FILE_HEADERS: EndpointDoc['responses'][number]['headers'] = {
  'Content-Disposition': { description: 'attachment, with the name of the file', schema: { type: 'string' } },
  'Content-Range': { description: 'Which bytes, of how many', schema: { type: 'string' } },
  ETag: VALIDATOR,
}

const ORDER_ERRORS = (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).filter((code) =>
  /^(ORDER_|PURGATORY|RBAC_|STORAGE_|TOKEN_|DID_|UNKNOWN_SERVICE|FILES_|NO_SUCH|ASSET_NOT_C|CREDENTIALS|NOT_AN_ACCESS|CHAIN_)/.test(
    code,
  ),
)

/** Verifies the consumer, the asset and the order, and streams the file. */
export const download: Endpoint = {
  names: ['download'],
  method: 'GET',
  path: `${PREFIX}/download`,
  doc: {
    summary: 'Download a file',
    description:
      'Verifies signature or token, nonce, asset and order, and streams the file. Signed over documentId + nonce, or consumerAddress + nonce + "download". Range and the conditional headers go to the storage.',
    params: { ...params, ...PROOF },
    token: true,
    head: true,
    headers: {
      Range: 'The bytes wanted, as in RFC 9110, for example bytes=0-1023.',
      'If-Range': 'Validator (ETag or Last-Modified of an earlier answer) under which the range is wanted.',
      'If-None-Match': 'ETag of the copy at hand: 304 where it is still the file.',
      'If-Modified-Since': 'Time of the copy at hand: 304 where the file is no newer.',
    },
    responses: {
      200: { description: 'The file.', content: ANY_CONTENT, headers: FILE_HEADERS },
      206: { description: 'A part of the file.', content: ANY_CONTENT, headers: FILE_HEADERS },
      304: { description: 'The file is still what the condition says.', headers: { ETag: VALIDATOR } },
      416: json('The range lies outside of the file.', { type: 'object' }),
    },
    errors: ORDER_ERRORS,
  },
  register(app, context) {
    const { settings } = context
    const read = consumerParams(params, context)
    // HEAD by hand: the framework's own form of it replaces the length of the file
    app.route({ method: 'HEAD', url: this.path, handler })
    app.route({ method: 'GET', url: this.path, exposeHeadRoute: false, handler })
    async function handler(request: FastifyRequest, reply: FastifyReply) {
      const sent = read(request)
      const asked = sent.params
      const opened = await openService(context, asked.documentId, asked.serviceId)
      const { asset, service, index } = opened
      const { text: addressText } = asked.consumerAddress
      const messages = (nonce: string) => [asked.documentId + nonce, modernMessage(addressText, nonce, 'download')]
      const consumer = await proveConsumer(sent, asked.consumerAddress, messages, asset.chain, context)
      context.purgatory.assertServed(asset.ddo.id, consumer.address)
      assertAdmitted(consumer.address, [...asset.ddo.credentials, ...service.credentials])
      const file = opened.file(asked.fileIndex)
      const values = completeUserdata(service.consumerParameters, asked.userdata)
      file.check(values)
      const order = await verifyOrder(
        {
          chain: asset.chain,
          txId: asked.transferTxId,
          datatoken: service.datatokenAddress,
          serviceIndex: index,
          serviceId: service.id,
          timeout: service.timeout,
          consumer: consumer.address,
          environments: environmentsFor(service.type, consumer.address, asset.chain.chainId, settings),
        },
        context.orders,
        { waits: true, now: Math.floor(Date.now() / 1000), signal: request.lifetime.signal },
      )
      await context.accessControl({
        event: 'access',
        provider: asset.chain.key.address,
        consumer: consumer.address,
        service: { did: asset.ddo.id, serviceId: service.id },
      })
      await consumer.consumeNonce()
      const { keys } = asset.chain
      const tagged: TaggedFile = { keys, did: asset.ddo.id, serviceId: service.id, fileIndex: asked.fileIndex }
      const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
      const { signal } = request.lifetime
      const headers = conditionsFor(tagged, request.headers)
      const transfer = beginTransfer(context, request)
      const spends = transfer ? { fetched: transfer.fetched } : {}
      const opening: OpenRequest = { method, headers, userdata: values, signal, budget: 'paid', ...spends }
      const delivered = withSealedTag(await file.open(opening), tagged)
      endWhenUntaken(reply, Number(delivered.headers['content-length']), settings.CONSUMER_STALL_TIMEOUT)
      if (request.method === 'GET')
        count(reply, file.type, delivered, context.metrics, (bytes, complete) => {
          const { signed, address } = consumer
          const facts = { did: asset.ddo.id, serviceId: service.id, fileIndex: asked.fileIndex, order: order.txId }
          request.log.info({ audit: 'delivery', ...facts, consumer: address, bytes, complete }, 'delivery')
          if (!complete || !context.deliveries.enabled || reply.statusCode > 206) return
          const delivery = {
            chainId: asset.chain.chainId,
            datatoken: service.datatokenAddress,
            orderTxId: order.txId,
            serviceIndex: index,
            fileIndex: asked.fileIndex,
            bytes,
            whole: isWhole(delivered),
            consumerAddress: address,
            consumerData: signed?.message ?? '',
            consumerSignature: signed?.signature ?? '',
          }
          context.deliveries
            .add(delivery)
            .catch(() => request.log.error({ did: asset.ddo.id }, 'a delivery could not be queued for its proof'))
        })
      return sendFile(reply, delivered, asked.fileIndex, transfer)
    }
  },
}
