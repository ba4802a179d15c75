import type { OpenedFile } from '@tidegate/storage'
import type { FastifyRequest } from 'fastify'
import type { AdmittedFile } from '../../access/admission.js'
import type { Context } from '../context.js'
import { isWholeFile } from './transfer.js'

/** What was sold to whom. */
type Sold = Pick<AdmittedFile, 'opened' | 'order' | 'consumer' | 'fileIndex'>

/** The outcome of the transfer. */
interface Transferred {
  delivered: OpenedFile
  bytes: number
  complete: boolean
}

/** Records a transfer that has ended: in the log, for reports, and as a proof of delivery. Never throws. */
export function recordTransfer(context: Context, request: FastifyRequest, sold: Sold, transferred: Transferred): void {
  const { opened, order, consumer, fileIndex } = sold
  const { delivered, bytes, complete } = transferred
  const did = opened.asset.ddo.id
  const facts = { did, serviceId: opened.service.id, fileIndex, order: order.txId, consumer: consumer.address }
  request.log.info({ audit: 'delivery', ...facts, bytes, complete }, 'delivery')
  if (delivered.status > 206) return
  recordInLedger(context, sold, transferred)
  if (!complete || !context.deliveries.enabled) return
  const delivery = {
    chainId: opened.asset.chain.chainId,
    datatoken: opened.service.datatokenAddress,
    orderTxId: order.txId,
    serviceIndex: opened.index,
    fileIndex,
    bytes,
    whole: isWholeFile(delivered),
    consumerAddress: consumer.address,
    consumerData: consumer.signed?.message ?? '',
    consumerSignature: consumer.signed?.signature ?? '',
  }
  context.deliveries
    .add(delivery)
    .catch(() => request.log.error({ did }, 'a delivery could not be queued for its proof'))
}

function recordInLedger({ ledger }: Context, { opened, order, consumer, fileIndex }: Sold, transferred: Transferred) {
  const { asset, service } = opened
  const about = { chainId: asset.chain.chainId, did: asset.ddo.id, nft: asset.nft, service: service.id }
  const { bytes, complete, delivered } = transferred
  ledger.recordDelivery({
    at: Date.now(),
    file: fileIndex,
    consumer: consumer.address,
    orderTx: order.txId,
    bytes,
    complete,
    hostedBy: delivered.hostedBy,
    // last: an object that begins as a copy takes microseconds to grow
    ...about,
  })
  const { datatokenAddress: datatoken } = service
  ledger.recordFees(order.paid.map(({ timestamp, ...fee }) => ({ ...about, ...fee, datatoken, at: timestamp * 1000 })))
}
