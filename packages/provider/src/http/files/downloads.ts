import type { TickBatch } from '@tidegate/common'
import { StorageError } from '@tidegate/protocol'
import { discard, type OpenedFile, type OpenRequest, type StoredFile } from '@tidegate/storage'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Admitted, isHosted } from '../../access/admission.js'
import type { Withheld } from '../../access/rules/withheld.js'
import type { ProvenConsumer } from '../../auth/authenticate.js'
import type { Metrics } from '../../metrics/metrics.js'
import type { ByteBudgets, Transfer } from '../limits/byte-budgets.js'
import type { ConsumerLimits, CountedDownload } from '../limits/consumer-limits.js'
import { HostPace } from '../limits/host-pace.js'
import { beginTransfer } from '../limits/rate-limits.js'
import { type Archive, archiveName, describeArchive, openArchive } from './archive.js'
import { ArchiveLengths } from './archive-lengths.js'
import { cutIfWithheld } from './cut-if-withheld.js'
import { type DeliveryRecords, recordDelivery } from './record.js'
import { lengthOf, type SendOptions, type SentFile, sendFile } from './send-file.js'
import { conditionsFor, type TaggedFile, withSealedTag } from './validators.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The files that the route sends: their bytes are limited by address. Sold ones also count as downloads. */
    sendsFile?: 'sold' | 'public'
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
  private readonly lengths = new ArchiveLengths()
  private readonly pace = new HostPace()

  constructor(private readonly options: DownloadsOptions) {}

  /**
   * Checks the limits of the consumer. Returns the download: it opens the storage and sends the file, or an archive of all. A GET is
   * counted, limited and recorded, and the HEAD of an archive is counted. Both throw LimitError, StateError; the download StorageError.
   */
  async prepare(
    request: FastifyRequest,
    reply: FastifyReply,
    admitted: Admitted,
    withheld: Withheld,
  ): Promise<() => Promise<FastifyReply>> {
    const isHead = request.method === 'HEAD'
    const downloads = isHead ? Number(admitted.fileIndex === undefined) : downloadsIn(admitted)
    await this.options.consumerLimits.assertLeft(admitted.consumer, Math.max(1, downloads))
    return () => this.send(request, reply, admitted, { withheld, downloads })
  }

  private async send(
    request: FastifyRequest,
    reply: FastifyReply,
    admitted: Admitted,
    { withheld, downloads }: { withheld: Withheld; downloads: number },
  ): Promise<FastifyReply> {
    const { consumer, fileIndex = 0 } = admitted
    const { bytes, consumerLimits, batch, stallTimeout } = this.options
    const isHead = request.method === 'HEAD'
    if (downloads > 0) await consumerLimits.countRequest(consumer, downloads)
    const transfer = beginTransfer(bytes, request)
    const file =
      admitted.fileIndex === undefined
        ? await this.openAll(request, admitted, transfer)
        : await openOne(request, admitted, transfer)
    // the operator may have withheld the asset meanwhile, and may do so later
    const check = () => withheld.assertServed(admitted.opened.asset.ddo.id)
    cutIfWithheld(reply, withheld, check)
    await beforeSending(file, check)
    const onEnd = isHead ? () => undefined : this.begin(request, admitted, file, await this.countBytes(consumer, file))
    return sendFile(reply, file, { index: fileIndex, batch, stallTimeout, transfer, onEnd })
  }

  /** Sends a file that needs no order. It counts against the bytes of the address alone. */
  sendPublic(
    request: FastifyRequest,
    reply: FastifyReply,
    file: OpenedFile,
    more: Pick<SendOptions, 'headers' | 'onEnd'>,
  ): FastifyReply {
    const { bytes, batch, stallTimeout } = this.options
    return sendFile(reply, file, { index: 0, batch, stallTimeout, transfer: beginTransfer(bytes, request), ...more })
  }

  /**
   * Opens an archive of all files. It has no ranges, and a length if this service hosts all files. Throws StorageError if the first
   * file cannot be opened.
   */
  private async openAll(request: FastifyRequest, admitted: Admitted, transfer: Transfer | undefined): Promise<Archive> {
    const { opened, files } = admitted
    const { asset } = opened
    const { lifetime } = request
    // other storages would have to be asked for each length
    const length = files.every(isHosted) ? await this.lengths.of(opened, files, lifetime.signal) : undefined
    const name = archiveName(asset)
    if (request.method === 'HEAD') return describeArchive({ name, length })
    const modified = asset.published === undefined ? new Date() : new Date(asset.published * 1000)
    const open = (index: number) => {
      const asked = { method: 'GET', headers: {}, pace: this.pace.ofFile(lifetime.signal) } as const
      return openPaid(files[index] as StoredFile, asked, { request, admitted, transfer })
    }
    return openArchive({ files, open, modified, name, length })
  }

  /** Counts the beginning of a download. `counted`: its bytes, if these are limited. Returns the callback for its end. */
  private begin(
    request: FastifyRequest,
    admitted: Admitted,
    file: OpenedFile,
    counted: CountedDownload | undefined,
  ): (sent: SentFile) => void {
    const { metrics, records } = this.options
    metrics.downloadsActive.inc()
    const begun = Date.now()
    return (sent) => {
      metrics.downloadsActive.dec()
      metrics.countDownload(typeOf(admitted), sent.complete, sent.bytes)
      counted?.end(sent.bytes)
      recordDelivery(records, request.log, admitted, file, sent, begun)
    }
  }

  /** Counts the file against the bytes of its consumer's day, if these are limited. Throws LimitError, StateError, StorageError. */
  private countBytes(consumer: ProvenConsumer, file: OpenedFile): Promise<CountedDownload> | undefined {
    const { consumerLimits } = this.options
    if (!consumerLimits.limitsBytes || file.status > 206) return undefined
    return beforeSending(file, () => consumerLimits.countBytes(consumer, lengthOf(file)))
  }
}

/** Opens the storage of a file, with the consumer's range and conditions. Throws StorageError. */
async function openOne(
  request: FastifyRequest,
  admitted: Admitted,
  transfer: Transfer | undefined,
): Promise<OpenedFile> {
  const { opened, files, fileIndex = 0 } = admitted
  const { chain, ddo } = opened.asset
  const tagged: TaggedFile = { keys: chain.keys, did: ddo.id, serviceId: opened.service.id, fileIndex }
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
  const asked = { method, headers: conditionsFor(tagged, request.headers) } as const
  return withSealedTag(await openPaid(files[0] as StoredFile, asked, { request, admitted, transfer }), tagged)
}

function openPaid(
  file: StoredFile,
  { method, headers, pace }: Pick<OpenRequest, 'method' | 'headers' | 'pace'>,
  { request, admitted, transfer }: { request: FastifyRequest; admitted: Admitted; transfer: Transfer | undefined },
): Promise<OpenedFile> {
  const { userdata } = admitted
  return file.open({
    method,
    headers,
    pace,
    userdata,
    signal: request.lifetime,
    budget: 'paid',
    fetched: transfer?.fetched,
  })
}

/** Returns the downloads that a request counts as: an archive requests each file of another storage. */
function downloadsIn({ files, fileIndex }: Admitted): number {
  return fileIndex === undefined ? Math.max(1, files.filter((file) => !isHosted(file)).length) : 1
}

/** Returns the kind of storage that a download is counted for. */
function typeOf({ files, fileIndex }: Admitted): string {
  return fileIndex === undefined ? 'archive' : (files[0] as StoredFile).type
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
