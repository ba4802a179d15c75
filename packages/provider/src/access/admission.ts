import type { Cancellation } from '@tidegate/common'
import { type Hex, ValidationError } from '@tidegate/protocol'
import type { StoredFile, UserData } from '@tidegate/storage'
import type { ProvenConsumer } from '../auth/authenticate.js'
import { PROVIDER_LIMITS } from '../limits.js'
import type { OrderClaim } from '../orders/claim.js'
import { type VerifiedOrder, type VerifyOptions, verifyOrder } from '../orders/verify.js'
import type { Access } from './access.js'
import { isInDatatoken, signatureNeeded, UNREAD_FILES } from './files/datatoken-files.js'
import { completeUserdata } from './parameters.js'
import type { PolicyParameter } from './policies/policies.js'
import { environmentsFor } from './rules/environments.js'
import { assertAdmitted } from './rules/policy.js'
import { type OpenService, openedService } from './service.js'

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

/** How files are requested. */
interface Asking {
  signal: Cancellation
  /**
   * Consumes the nonce of the consumer's signature: other parties see the signature afterwards. Undefined: no such signature.
   * Throws ValidationError, StateError.
   */
  consumeNonce?: (() => Promise<void>) | undefined
}

/**
 * Decides whether an authenticated consumer may have a file, or all of them: account, credentials, userdata, order, and the operator's
 * policy server and access control. Asks no node if the order is cached, unless the files are in the datatoken. Throws AccessError, AssetError, OrderError, ChainError,
 * ValidationError, StorageError, or the signal's reason.
 */
export async function admit(
  access: Omit<Access, 'assets'>,
  found: OpenService,
  consumer: ProvenConsumer,
  wanted: WantedFile,
  { signal, consumeNonce }: Asking,
): Promise<Admitted> {
  const { environments, withheld, accessLists, policies, orders, accessControl } = access
  const { asset, service, index } = found
  const { chain, ddo } = asset
  withheld.assertAdmitted(consumer.address)
  const judges = { lists: accessLists, chainId: chain.chainId, hasPolicies: policies.areServed }
  const asksPolicies = await assertAdmitted(consumer.address, [...ddo.credentials, ...service.credentials], judges)
  const { fileIndex, policyServer } = wanted
  // after the order is verified: of others that decides, at no cost for the policy server
  const askPolicies = asksPolicies
    ? () => policies.assertAdmitted({ asset, service, consumer: consumer.address, policyServer })
    : undefined
  // property by property: V8 is slow to extend the copy of an object
  const claimOf = (file: number | undefined, identities: OrderClaim['identities']): OrderClaim => ({
    chain,
    txId: wanted.transferTxId,
    datatoken: service.datatokenAddress,
    serviceIndex: index,
    serviceId: service.id,
    timeout: service.timeout,
    consumer: consumer.address,
    environments: environmentsFor(service.type, consumer.address, chain.chainId, environments),
    fileIndex: file,
    identities,
  })
  const checking = { waitForTransaction: true, now: Math.floor(Date.now() / 1000), signal }
  const opened = isInDatatoken(service)
    ? await openDatatoken(access, found, consumer, {
        claim: claimOf(fileIndex, UNREAD_FILES),
        checking,
        consumeNonce,
        askPolicies,
      })
    : found
  const files = fileIndex === undefined ? opened.files() : [opened.file(fileIndex)]
  const userdata = completeUserdata(service.consumerParameters, wanted.userdata)
  if (fileIndex === undefined) assertArchivable(files)
  for (const file of files) file.check(userdata)
  // an order for the only file opens all
  const claimed = fileIndex ?? (files.length === 1 ? 0 : undefined)
  const order = await verifyOrder(claimOf(claimed, await opened.identities()), orders, checking)
  if (opened === found) await askPolicies?.()
  await accessControl({
    event: 'access',
    provider: chain.key.address,
    consumer: consumer.address,
    service: { did: ddo.id, serviceId: service.id },
  })
  return { opened, consumer, fileIndex, files, userdata, order }
}

/**
 * Returns a service with the files that its datatoken gives the consumer of an order. Throws AssetError, OrderError, ChainError, and the
 * errors of `consumeNonce`.
 */
async function openDatatoken(
  { orders, datatokenFiles, fileLists }: Pick<Access, 'orders' | 'datatokenFiles' | 'fileLists'>,
  { asset, service, index }: OpenService,
  { signed }: ProvenConsumer,
  {
    claim,
    checking,
    consumeNonce,
    askPolicies,
  }: Pick<Asking, 'consumeNonce'> & {
    claim: OrderClaim
    checking: VerifyOptions
    askPolicies: (() => Promise<void>) | undefined
  },
): Promise<OpenService> {
  if (!signed || !consumeNonce) throw signatureNeeded()
  // nobody without an order makes this service sign, and call the contract of a publisher
  await verifyOrder(claim, orders, checking)
  await askPolicies?.()
  // the operator of a node sees the signature
  await consumeNonce()
  const read = await datatokenFiles.read({ asset, service, index }, { ...signed, address: claim.consumer })
  return openedService(fileLists, asset, { service: read, index })
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
