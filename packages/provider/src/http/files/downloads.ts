import type { TickBatch } from '@tidegate/common'
import { StorageError } from '@tidegate/protocol'
import { discard, type OpenedFile } from '@tidegate/storage'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AdmittedFile } from '../../access/admission.js'
import type { AuthenticatedConsumer } from '../../auth/authenticate.js'
import type { Metrics } from '../../metrics/metrics.js'
import type { ByteBudgets, Transfer } from '../limits/byte-budgets.js'
import type { ConsumerLimits, CountedDownload } from '../limits/consumer-limits.js'
import { beginTransfer } from '../limits/rate-limits.js'
import { type DeliveryRecords, recordDelivery } from './record.js'
import { lengthOf, type SentFile, sendFile } from './send-file.js'
import { conditionsFor, type TaggedFile, withSealedTag } from './validators.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route sends files, and so counts against the limits on downloads. */
    sendsFile?: true
  }
}

export interface DownloadsOptions {
  /** Byte budgets of addresses. Undefined if RATE_LIMIT_BYTES is not set. */
  bytes: ByteBudgets | undefined
  consumerLimits: ConsumerLimits
  records: DeliveryRecords
  metrics: Pick<Metrics, 'downloadsActive' | 'countDownload'>
  batch: TickBatch
  /** Milliseconds after which a client that reads nothing is cut off. */
  stallTimeout: number
}

/** The last steps of each download, after its consumer was admitted. */
export class Downloads {
  constructor(private readonly options: DownloadsOptions) {}

  /**
   * Consumes the nonce, opens the storage and sends the file. A GET is counted, limited and recorded. A HEAD consumes no
   * nonce, so that a GET with the same signature may follow. Throws LimitError, ValidationError, StateError, StorageError.
   */
  async send(request: FastifyRequest, reply: FastifyReply, admitted: AdmittedFile): Promise<FastifyReply> {
    const { consumer, fileIndex } = admitted
    const { bytes, consumerLimits, batch, stallTimeout } = this.options
    const isHead = request.method === 'HEAD'
    await consumerLimits.assertLeft(consumer)
    if (!isHead) {
      await consumer.consumeNonce()
      await consumerLimits.countRequest(consumer)
    }
    const transfer = beginTransfer(bytes, request)
    const file = await open(request, admitted, transfer)
    const onEnd = isHead ? () => undefined : await this.begin(request, admitted, file)
    return sendFile(reply, file, { index: fileIndex, batch, stallTimeout, transfer, onEnd })
  }

  /** Counts the beginning of a download. Returns the callback for its end. Throws LimitError, StateError, StorageError. */
  private async begin(
    request: FastifyRequest,
    admitted: AdmittedFile,
    file: OpenedFile,
  ): Promise<(sent: SentFile) => void> {
    const { metrics, records } = this.options
    const counted = await this.countBytes(admitted.consumer, file)
    metrics.downloadsActive.inc()
    return (sent) => {
      metrics.downloadsActive.dec()
      metrics.countDownload(admitted.file.type, sent.complete, sent.bytes)
      counted?.end(sent.bytes)
      recordDelivery(records, request.log, admitted, file, sent)
    }
  }

  /** Counts the file against the bytes of its consumer's day, if these are limited. Throws as `begin`. */
  private countBytes(consumer: AuthenticatedConsumer, file: OpenedFile): Promise<CountedDownload> | undefined {
    const { consumerLimits } = this.options
    if (!consumerLimits.limitsBytes || file.status > 206) return undefined
    return beforeSending(file, () => consumerLimits.countBytes(consumer, lengthOf(file)))
  }
}

/** Opens the storage of a file, with the consumer's range and conditions. Throws StorageError. */
async function open(
  { method, headers, lifetime }: FastifyRequest,
  { opened, file, fileIndex, userdata }: AdmittedFile,
  transfer: Transfer | undefined,
): Promise<OpenedFile> {
  const { chain, ddo } = opened.asset
  const tagged: TaggedFile = { keys: chain.keys, did: ddo.id, serviceId: opened.service.id, fileIndex }
  const opening = {
    method: method === 'HEAD' ? ('HEAD' as const) : ('GET' as const),
    headers: conditionsFor(tagged, headers),
    userdata,
    signal: lifetime.signal,
    budget: 'paid' as const,
    fetched: transfer?.fetched,
  }
  return withSealedTag(await file.open(opening), tagged)
}

/**
 * Does some work before an opened file is sent, and watches its body meanwhile. Throws StorageError if the storage
 * fails meanwhile. Discards the file if the work fails.
 */
async function beforeSending<T>({ body }: OpenedFile, work: () => Promise<T>): Promise<T> {
  const ignore = () => undefined
  body.on('error', ignore)
  try {
    const result = await work()
    if (body.destroyed) throw new StorageError('STORAGE_REFUSED', 'The storage has ended the transfer.')
    return result
  } catch (error) {
    discard(body)
    throw error
  } finally {
    body.off('error', ignore)
  }
}
