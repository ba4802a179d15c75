import type { Logger } from '@tidegate/common'
import type { OpenedFile } from '@tidegate/storage'
import type { Admitted } from '../../access/admission.js'
import type { DeliveryLedger } from '../../deliveries/ledger.js'
import type { Transferred } from '../../deliveries/open-deliveries.js'
import type { DeliveryQueue } from '../../deliveries/queue.js'
import type { Archive } from './archive.js'
import { isWholeFile, type SentFile } from './send-file.js'

/** Where deliveries are recorded: for reports, and as proofs for receivers. */
export interface DeliveryRecords {
  ledger: Pick<DeliveryLedger, 'recordDelivery' | 'recordFees'>
  proofs: Pick<DeliveryQueue, 'enabled' | 'add'>
}

type Sold = Pick<Admitted, 'opened' | 'order' | 'consumer' | 'fileIndex'>

/** The index that stands for an archive of all files. */
const ARCHIVE = -1

/** Records a delivery that has ended: in the log, for reports, and as a proof. `begun`: its start. Never throws. */
export function recordDelivery(
  { ledger, proofs }: DeliveryRecords,
  log: Pick<Logger, 'info' | 'error'>,
  sold: Sold,
  file: OpenedFile | Archive,
  { bytes, complete }: SentFile,
  begun: number,
): void {
  const { opened, order, consumer, fileIndex = ARCHIVE } = sold
  const did = opened.asset.ddo.id
  log.info(
    {
      audit: 'delivery',
      did,
      serviceId: opened.service.id,
      fileIndex,
      order: order.txId,
      consumer: consumer.address,
      bytes,
      complete,
    },
    'delivery',
  )
  if (file.status > 206) return
  // one row for each publisher whose files are hosted here: reports add their bytes up
  const shares = 'bytes' in file ? [...file.bytes] : [[file.hostedBy, bytes] as const]
  for (const [hostedBy, share] of shares)
    recordDelivered(ledger, sold, { hostedBy, bytes: share, complete, begun, isRange: file.status === 206 })
  recordFees(ledger, sold)
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

function recordDelivered(
  ledger: DeliveryRecords['ledger'],
  sold: Sold,
  sent: Pick<Transferred, 'hostedBy' | 'bytes' | 'complete' | 'begun' | 'isRange'>,
): void {
  const { order, consumer, fileIndex = ARCHIVE } = sold
  ledger.recordDelivery({
    at: Date.now(),
    file: fileIndex,
    consumer: consumer.address,
    orderTx: order.txId,
    bytes: sent.bytes,
    complete: sent.complete,
    hostedBy: sent.hostedBy,
    begun: sent.begun,
    isRange: sent.isRange,
    // last: V8 is slow to extend an object that begins as a copy
    ...aboutOf(sold),
  })
}

function recordFees(ledger: DeliveryRecords['ledger'], sold: Sold): void {
  const { datatokenAddress: datatoken } = sold.opened.service
  const about = aboutOf(sold)
  ledger.recordFees(
    sold.order.paid.map(({ timestamp, ...fee }) => ({ ...about, ...fee, datatoken, at: timestamp * 1000 })),
  )
}

const aboutOf = ({ opened: { asset, service } }: Sold) => {
  return { chainId: asset.chain.chainId, did: asset.ddo.id, nft: asset.nft, service: service.id }
}
