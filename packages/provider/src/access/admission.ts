import type { Hex } from '@tidegate/protocol'
import type { StoredFile, UserData } from '@tidegate/storage'
import type { AuthenticatedConsumer } from '../auth/authenticate.js'
import type { Settings } from '../config/schema.js'
import type { OrderTransactions } from '../orders/transactions.js'
import { type VerifiedOrder, verifyOrder } from '../orders/verify.js'
import type { AccessLists } from './access-lists.js'
import { environmentsFor } from './environments.js'
import { completeUserdata } from './parameters.js'
import { assertAdmitted } from './policy.js'
import type { Purgatory } from './purgatory.js'
import type { AccessControl } from './rbac.js'
import type { OpenService } from './service.js'

/** What decides about a consumer. */
export interface Gatekeepers {
  settings: Settings
  purgatory: Purgatory
  accessLists: AccessLists
  orders: OrderTransactions
  accessControl: AccessControl
}

/** What a consumer wants of a service. */
export interface WantedFile {
  fileIndex: number
  /** The transaction that holds the order, or a reuse of it. */
  transferTxId: Hex
  userdata?: UserData | undefined
}

/** A file that the consumer may have now, and by which order. */
export interface AdmittedFile {
  opened: OpenService
  consumer: AuthenticatedConsumer
  fileIndex: number
  file: StoredFile
  /** Values for the storage, complete and checked. */
  userdata: UserData | undefined
  order: VerifiedOrder
}

/**
 * Decides whether an authenticated consumer may have a file of an open service: purgatory, credentials, userdata, order
 * and the operator's access control. It needs no chain where the order is cached. Throws AccessError, AssetError,
 * OrderError, ChainError, ValidationError, StorageError, or the signal's reason.
 */
export async function admit(
  { settings, purgatory, accessLists, orders, accessControl }: Gatekeepers,
  opened: OpenService,
  consumer: AuthenticatedConsumer,
  wanted: WantedFile,
  signal: AbortSignal,
): Promise<AdmittedFile> {
  const { asset, service, index } = opened
  const { chain, ddo } = asset
  purgatory.assertServed(ddo.id, consumer.address)
  const where = { lists: accessLists, chainId: chain.chainId }
  await assertAdmitted(consumer.address, [...ddo.credentials, ...service.credentials], where)
  const file = opened.file(wanted.fileIndex)
  const userdata = completeUserdata(service.consumerParameters, wanted.userdata)
  file.check(userdata)
  const order = await verifyOrder(
    {
      chain,
      txId: wanted.transferTxId,
      datatoken: service.datatokenAddress,
      serviceIndex: index,
      serviceId: service.id,
      fileIndex: wanted.fileIndex,
      timeout: service.timeout,
      consumer: consumer.address,
      environments: environmentsFor(service.type, consumer.address, chain.chainId, settings),
    },
    orders,
    { waitForTransaction: true, now: Math.floor(Date.now() / 1000), signal },
  )
  await accessControl({
    event: 'access',
    provider: chain.key.address,
    consumer: consumer.address,
    service: { did: ddo.id, serviceId: service.id },
  })
  return { opened, consumer, fileIndex: wanted.fileIndex, file, userdata, order }
}
