import type { Logger } from '@tidegate/common'
import type { OpenedFile } from '@tidegate/storage'
import type { AdmittedFile } from '../../access/admission.js'
import type { DeliveryLedger } from '../../deliveries/ledger.js'
import type { DeliveryQueue } from '../../deliveries/queue.js'
import { isWholeFile, type SentFile } from './send-file.js'

/** Where deliveries are recorded: for reports, and as proofs for receivers. */
export interface DeliveryRecords {
  ledger: Pick<DeliveryLedger, 'recordDelivery' | 'recordFees'>
  proofs: Pick<DeliveryQueue, 'enabled' | 'add'>
}

type Sold = Pick<AdmittedFile, 'opened' | 'order' | 'consumer' | 'fileIndex'>

/** Records a delivery that has ended: in the log, for reports, and as a proof. Never throws. */
export function recordDelivery(
  { ledger, proofs }: DeliveryRecords,
  log: Pick<Logger, 'info' | 'error'>,
  sold: Sold,
  file: OpenedFile,
  { bytes, complete }: SentFile,
): void {
  const { opened, order, consumer, fileIndex } = sold
  const did = opened.asset.ddo.id
  const facts = { did, serviceId: opened.service.id, fileIndex, order: order.txId, consumer: consumer.address }
  log.info({ audit: 'delivery', ...facts, bytes, complete }, 'delivery')
  if (file.status > 206) return
  recordInLedger(ledger, sold, file, { bytes, complete })
  if (!complete || !proofs.enabled) return
  const delivery = {
    chainId: opened.asset.chain.chainId,
    datatoken: opened.service.datatokenAddress,
    orderTxId: order.txId,
    serviceIndex: opened.index,
    fileIndex,
    bytes,
    whole: isWholeFile(file),
    consumerAddress: consumer.address,
    consumerData: consumer.signed?.message ?? '',
    consumerSignature: consumer.signed?.signature ?? '',
  }
  proofs.add(delivery).catch(() => log.error({ did }, 'a delivery could not be queued for its proof'))
}

function recordInLedger(
  ledger: DeliveryRecords['ledger'],
  { opened, order, consumer, fileIndex }: Sold,
  { hostedBy }: OpenedFile,
  { bytes, complete }: SentFile,
): void {
  const { asset, service } = opened
  const about = { chainId: asset.chain.chainId, did: asset.ddo.id, nft: asset.nft, service: service.id }
  ledger.recordDelivery({
    at: Date.now(),
    file: fileIndex,
    consumer: consumer.address,
    orderTx: order.txId,
    bytes,
    complete,
    hostedBy,
    // last: V8 is slow to extend an object that begins as a copy
    ...about,
  })
  const { datatokenAddress: datatoken } = service
  ledger.recordFees(order.paid.map(({ timestamp, ...fee }) => ({ ...about, ...fee, datatoken, at: timestamp * 1000 })))
}
