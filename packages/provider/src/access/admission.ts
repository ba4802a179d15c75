import { type Hex, ValidationError } from '@tidegate/protocol'
import type { StoredFile, UserData } from '@tidegate/storage'
import type { ProvenConsumer } from '../auth/authenticate.js'
import { PROVIDER_LIMITS } from '../limits.js'
import { type VerifiedOrder, verifyOrder } from '../orders/verify.js'
import type { Access } from './access.js'
import { completeUserdata } from './parameters.js'
import type { PolicyParameter } from './policies/policies.js'
import { environmentsFor } from './rules/environments.js'
import { assertAdmitted } from './rules/policy.js'
import type { OpenService } from './service.js'

/** A requested file of a service, or all of them. */
export interface WantedFile {
  /** Undefined: all files. */
  fileIndex?: number | undefined
  /** Transaction of the order, or of a reuse of the order. */
  transferTxId: Hex
  userdata?: UserData | undefined
  /** Undefined: no session of the policy server. */
  policyServer?: PolicyParameter | undefined
}

/** Files that the consumer may have now, and the order that grants them. */
export interface Admitted {
  opened: OpenService
  consumer: ProvenConsumer
  /** Undefined: all files. */
  fileIndex: number | undefined
  files: StoredFile[]
  /** Values for the storage: complete and validated. */
  userdata: UserData | undefined
  order: VerifiedOrder
}

/**
 * Decides whether an authenticated consumer may have a file, or all of them: account, credentials, userdata, order, and the operator's
 * policy server and access control. Asks no node if the order is cached. Throws AccessError, AssetError, OrderError, ChainError,
 * ValidationError, StorageError, or the signal's reason.
 */
export async function admit(
  { environments, withheld, accessLists, policies, orders, accessControl }: Omit<Access, 'assets' | 'fileLists'>,
  opened: OpenService,
  consumer: ProvenConsumer,
  wanted: WantedFile,
  signal: AbortSignal,
): Promise<Admitted> {
  const { asset, service, index } = opened
  const { chain, ddo } = asset
  withheld.assertAdmitted(consumer.address)
  const judges = { lists: accessLists, chainId: chain.chainId, hasPolicies: policies.areServed }
  const asksPolicies = await assertAdmitted(consumer.address, [...ddo.credentials, ...service.credentials], judges)
  const { fileIndex } = wanted
  const files = fileIndex === undefined ? opened.files() : [opened.file(fileIndex)]
  const userdata = completeUserdata(service.consumerParameters, wanted.userdata)
  if (fileIndex === undefined) assertArchivable(files)
  for (const file of files) file.check(userdata)
  const order = await verifyOrder(
    {
      chain,
      txId: wanted.transferTxId,
      datatoken: service.datatokenAddress,
      serviceIndex: index,
      serviceId: service.id,
      // an order for the only file opens all
      fileIndex: fileIndex ?? (files.length === 1 ? 0 : undefined),
      identities: await opened.identities(),
      timeout: service.timeout,
      consumer: consumer.address,
      environments: environmentsFor(service.type, consumer.address, chain.chainId, environments),
    },
    orders,
    { waitForTransaction: true, now: Math.floor(Date.now() / 1000), signal },
  )
  // of others the order decides, at no cost for the policy server
  if (asksPolicies)
    await policies.assertAdmitted({ asset, service, consumer: consumer.address, policyServer: wanted.policyServer })
  await accessControl({
    event: 'access',
    provider: chain.key.address,
    consumer: consumer.address,
    service: { did: ddo.id, serviceId: service.id },
  })
  return { opened, consumer, fileIndex, files, userdata, order }
}

/** Whether this service hosts a file. Any other costs a request to somebody else. */
export const isHosted = ({ type }: StoredFile) => type === 'hosted'

/** Throws ValidationError for more files of other storages than one archive may request. */
function assertArchivable(files: readonly StoredFile[]): void {
  const { foreign: most } = PROVIDER_LIMITS.archives
  const foreign = files.filter((file) => !isHosted(file)).length
  if (foreign > most)
    throw ValidationError.of(
      'archive',
      `The archive field is for at most ${most} files of other storages, and there are ${foreign}. Download them by fileIndex.`,
    )
}
