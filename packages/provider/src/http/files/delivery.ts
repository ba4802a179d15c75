import type { OpenedFile, OpenRequest } from '@tidegate/storage'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AdmittedFile } from '../../access/admission.js'
import type { AuthenticatedConsumer } from '../../auth/authenticate.js'
import type { Context } from '../context.js'
import type { CountedDownload } from '../limits/consumer-limits.js'
import { beginTransfer } from '../limits/rate-limits.js'
import { recordTransfer } from './record.js'
import { beforeSending, countTransfer, lengthOf, sendFile, setWriteStallTimeout } from './transfer.js'
import { conditionsFor, type TaggedFile, withSealedTag } from './validators.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route streams files, and so counts against the limits on downloads. */
    sendsFile?: true
  }
}

/**
 * Delivers a file to a consumer who was admitted: consumes the nonce, opens the storage and streams. For GET it is counted,
 * limited and recorded; a HEAD consumes no nonce, so that a GET with the same signature may follow. Throws LimitError,
 * ValidationError, StateError, StorageError.
 */
export async function deliver(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  admitted: AdmittedFile,
): Promise<FastifyReply> {
  const { opened, consumer, file, fileIndex, userdata } = admitted
  const { asset, service } = opened
  await context.consumerLimits.assertLeft(consumer, reply)
  if (request.method !== 'HEAD') {
    await consumer.consumeNonce()
    await context.consumerLimits.countRequest(consumer, reply)
  }
  const { keys } = asset.chain
  const tagged: TaggedFile = { keys, did: asset.ddo.id, serviceId: service.id, fileIndex }
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
  const { signal } = request.lifetime
  const headers = conditionsFor(tagged, request.headers)
  const transfer = beginTransfer(context, request)
  const metering = transfer ? { fetched: transfer.fetched } : {}
  const opening: OpenRequest = { method, headers, userdata, signal, budget: 'paid', ...metering }
  const delivered = withSealedTag(await file.open(opening), tagged)
  setWriteStallTimeout(reply, Number(delivered.headers['content-length']), context.settings.CONSUMER_STALL_TIMEOUT)
  if (request.method === 'GET') {
    const counted = await countBytes(context, consumer, delivered, reply)
    countTransfer(reply, file.type, delivered, context.metrics, (bytes, complete) => {
      counted?.end(bytes)
      recordTransfer(context, request, admitted, { delivered, bytes, complete })
    })
  }
  return sendFile(reply, delivered, { index: fileIndex, batch: context.batch, transfer })
}

/** Counts the file against its consumer's day, where bytes are limited. Throws LimitError, StateError, StorageError. */
function countBytes(
  { consumerLimits }: Context,
  consumer: AuthenticatedConsumer,
  delivered: OpenedFile,
  reply: FastifyReply,
): Promise<CountedDownload> | undefined {
  if (!consumerLimits.limitsBytes || delivered.status > 206) return undefined
  return beforeSending(delivered, () => consumerLimits.countBytes(consumer, lengthOf(delivered), reply))
}
