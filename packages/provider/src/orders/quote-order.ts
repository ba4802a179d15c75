import { AssetError, OrderError, StorageError, ValidationError } from '@tidegate/protocol'
import { discard, type FileDescription, inBatches, type StoredFile, type UserData } from '@tidegate/storage'
import { type Address, type Hex, zeroAddress } from 'viem'
import type { Access } from '../access/access.js'
import { isHosted } from '../access/admission.js'
import { isInDatatoken, UNREAD_FILES } from '../access/files/datatoken-files.js'
import { completeUserdata } from '../access/parameters.js'
import type { PolicyParameter } from '../access/policies/policies.js'
import { chosenEnvironment } from '../access/rules/environments.js'
import { assertAdmitted } from '../access/rules/policy.js'
import { type OpenService, openService } from '../access/service.js'
import type { FeeRule } from '../config/fee-rules.js'
import type { ComputeEnvironment } from '../config/parsers/chains.js'
import { cannotDeliver, type Health } from '../process/health.js'
import type { OrderClaim } from './claim.js'
import { fittingRule, nameOf, type Price, priceByRule, totalBytes } from './fees.js'
import { type ProviderFee, quoteFee } from './quote.js'
import type { OrderTransactions } from './transactions.js'
import { verifyOrder } from './verify.js'

/** The order to quote. */
export interface QuotedOrder {
  documentId: string
  serviceId: string
  /** Undefined: nobody yet, so that what depends on a consumer is not checked. */
  consumer: Address | undefined
  fileIndex?: number | undefined
  /** Seconds since 1970; 0 or undefined: no end. */
  validUntil?: number | undefined
  /** An earlier order. It may still be valid. */
  transferTxId?: Hex | undefined
  /** Id of a compute environment. */
  environment?: string | undefined
  userdata?: UserData | undefined
  /** Undefined: no session of the policy server, which then is not asked. */
  policyServer?: PolicyParameter | undefined
}

export interface QuoteTools {
  access: Access
  rules: readonly FeeRule[]
  health: Pick<Health, 'assertQuotable'>
  /** Describes a file of a service, as far as a caller without an order may know it. */
  describe(opened: OpenService, index: number): Promise<FileDescription>
  /** Returns the first owner of a data NFT; undefined if unknown. */
  publisherOf(chainId: number, nft: Address): Promise<Address | undefined>
  signal: AbortSignal
}

export interface Quote {
  chainId: number
  datatoken: Address
  providerFee: ProviderFee
  /** Consumer address of the compute environment; the zero address for access. */
  computeAddress: Address
  /** Name of the fee's rule; absent without rules. */
  providerFeeRule?: string
  /** Present where the policy server decides about the download, and was not asked for this quote. */
  policyServer?: 'required'
}

/** An earlier order that is still valid. */
interface ValidOrder {
  validOrder: Hex
  /** Set if the policy server decides about its downloads, and was not asked. */
  policyServer?: 'required'
}

/** The claim of the order to quote, and its environment. */
interface Wanted {
  opened: OpenService
  /** Whether the policy server decides, and was not asked. */
  isOpen: boolean
  environment: ComputeEnvironment | null
  claim: Omit<OrderClaim, 'txId'>
}

/**
 * Quotes an order, or returns the earlier order if it is still valid. Throws ValidationError, AssetError, AccessError,
 * OrderError, ChainError, LimitError, StateError, StorageError, or the signal's reason; ProviderError `CANNOT_DELIVER` if a
 * download would fail for a reason of this provider.
 */
export async function quoteOrder(order: QuotedOrder, tools: QuoteTools): Promise<Quote | ValidOrder> {
  const now = Math.floor(Date.now() / 1000)
  const { validUntil = 0, transferTxId, fileIndex } = order
  if (validUntil !== 0 && validUntil <= now)
    throw ValidationError.of('validUntil', 'The validUntil field must lie in the future (UTC seconds).')
  const wanted = await assertMayOrder(order, tools.access)
  const { opened, environment, claim, isOpen } = wanted
  const { asset, service } = opened
  const asked = isOpen ? { policyServer: 'required' as const } : {}
  if (transferTxId !== undefined) {
    const earlier = { ...claim, txId: transferTxId }
    if (await isStillValid(earlier, tools.access.orders, now, tools.signal))
      return { validOrder: transferTxId, ...asked }
  }
  if (fileIndex !== undefined) {
    completeUserdata(service.consumerParameters, order.userdata)
    if (!isInDatatoken(service) && !(await tools.describe(opened, fileIndex)).valid) throw unavailable()
  }
  await tools.health.assertQuotable(asset.chain)
  if (!isInDatatoken(service)) await assertHostedReadable(opened, fileIndex, tools.signal)
  const { rule, price, only } = await priceOf(wanted, { fileIndex, seconds: validUntil - now }, tools)
  const { datatoken, serviceId } = claim
  const file = only === undefined ? undefined : { index: only, identity: (await opened.identities()).of(only) }
  const terms = { datatoken, serviceId, environment, validUntil, now, price, file }
  return {
    chainId: asset.chain.chainId,
    datatoken,
    providerFee: quoteFee(asset.chain, terms),
    computeAddress: environment?.consumerAddress ?? zeroAddress,
    ...(tools.rules.length > 0 ? { providerFeeRule: nameOf(rule) } : {}),
    ...asked,
  }
}

/**
 * Checks that the consumer may order the service, and that a file can be delivered. Throws ValidationError, AssetError, AccessError,
 * ChainError, StateError.
 */
async function assertMayOrder(order: QuotedOrder, access: Access): Promise<Wanted> {
  const { consumer, fileIndex } = order
  const opened = await openService(access, order.documentId, order.serviceId)
  const { asset, service, index: serviceIndex } = opened
  const { chain } = asset
  const environment = chosenEnvironment(service.type, order, chain.chainId, access.environments)
  const isOpen = consumer !== undefined && (await assertMayBuy(access, opened, consumer, order.policyServer))
  const files = await orderedFiles(opened, fileIndex, access)
  const { datatokenAddress: datatoken, id: serviceId, timeout } = service
  const claim = {
    ...{ chain, datatoken, serviceIndex, serviceId, timeout, consumer: consumer ?? zeroAddress },
    environments: environment ? [environment.id] : undefined,
    ...files,
  }
  return { opened, isOpen, environment, claim }
}

/** Returns the files of a claim. Throws AssetError if they cannot be delivered, ChainError. */
async function orderedFiles(
  opened: OpenService,
  fileIndex: number | undefined,
  { datatokenFiles }: Access,
): Promise<Pick<OrderClaim, 'fileIndex' | 'identities'>> {
  if (isInDatatoken(opened.service)) {
    await datatokenFiles.assertGiven(opened)
    return { fileIndex, identities: UNREAD_FILES }
  }
  const files = opened.files()
  if (fileIndex === undefined) assertSomeUsable(files)
  else opened.file(fileIndex)
  return { fileIndex: fileIndex ?? (files.length === 1 ? 0 : undefined), identities: await opened.identities() }
}

/**
 * Throws AccessError if a consumer may not order. Returns whether the policy server decides and was not asked: market front ends
 * quote without the session that they download with.
 */
async function assertMayBuy(
  access: Access,
  { asset, service }: OpenService,
  consumer: Address,
  policyServer: PolicyParameter | undefined,
): Promise<boolean> {
  const { chain, ddo } = asset
  access.withheld.assertAdmitted(consumer)
  const { policies } = access
  const judges = { lists: access.accessLists, chainId: chain.chainId, hasPolicies: policies.areServed }
  const asksPolicies = await assertAdmitted(consumer, [...ddo.credentials, ...service.credentials], judges)
  if (asksPolicies && policyServer !== undefined)
    await policies.assertAdmitted({ asset, service, consumer, policyServer })
  const about = { did: ddo.id, serviceId: service.id }
  await access.accessControl({ event: 'initialize', provider: chain.key.address, consumer, service: about })
  return asksPolicies && policyServer === undefined
}

/** Throws ProviderError `CANNOT_DELIVER` if a file that this service hosts, and that the order would open, cannot be read. */
async function assertHostedReadable(
  opened: OpenService,
  fileIndex: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const wanted = fileIndex === undefined ? opened.files() : [opened.file(fileIndex)]
  // all of them have the same storage
  const hosted = wanted.find(isHosted)
  if (!hosted) return
  const headers = { range: 'bytes=0-0' }
  try {
    discard((await hosted.open({ method: 'GET', headers, signal, budget: 'anonymous' })).body)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    // its publisher deleted it
    if (error.reason === 'not_found') return
    throw cannotDeliver('a file that it hosts cannot be read')
  }
}

/** Throws AssetError if every descriptor is unsupported. */
function assertSomeUsable(files: StoredFile[]): void {
  if (files.every((file) => file.outline()?.valid === false))
    throw new AssetError('FILES_UNREADABLE', 'Unable to get dataset files')
}

/**
 * Returns whether an earlier order still grants access. False if the transaction holds no valid order. Throws OrderError
 * `PROVIDER_KEY_MISSING`, ChainError, or the signal's reason.
 */
async function isStillValid(
  claim: OrderClaim,
  orders: OrderTransactions,
  now: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await verifyOrder(claim, orders, { waitForTransaction: false, now, signal })
    return true
  } catch (error) {
    // otherwise the consumer would pay twice
    if (error instanceof OrderError && error.code !== 'PROVIDER_KEY_MISSING') return false
    throw error
  }
}

/**
 * Returns the rule and price of a fee, both undefined for the default fee. `only`: the single file of the order. An
 * order whose fee does not depend on its files opens all of them. Throws AssetError, StateError.
 */
async function priceOf(
  { opened, claim }: Wanted,
  { fileIndex, seconds }: { fileIndex: number | undefined; seconds: number },
  { rules, describe, publisherOf }: QuoteTools,
): Promise<{ rule: FeeRule | undefined; price: Price | undefined; only: number | undefined }> {
  const { asset, service } = opened
  const { chain, nft, ddo } = asset
  const publisher = () => publisherOf(chain.chainId, nft)
  const rule = await fittingRule(rules, { chain, did: ddo.id, publisher, serviceType: service.type })
  if (!rule) return { rule, price: undefined, only: undefined }
  const isBySize = rule.perGiB > 0n
  const only = isBySize ? fileIndex : undefined
  const bytes = isBySize ? await bytesOf(opened.files(), only, (index) => describe(opened, index)) : 0n
  return { rule, price: priceByRule(rule, chain, { bytes, seconds, timeout: claim.timeout }), only }
}

/**
 * Returns the bytes of all files of an order: one file, or every file of the service. Throws AssetError if a file is
 * unavailable now: it may return before the download.
 */
async function bytesOf(
  files: StoredFile[],
  only: number | undefined,
  describe: (index: number) => Promise<FileDescription>,
): Promise<bigint> {
  const indexes = only === undefined ? [...files.keys()] : [only]
  const sizes = await inBatches(indexes, async (index) => {
    const { valid, contentLength } = await describe(index)
    // a file with an unsupported descriptor is never delivered
    if (!valid && files[index]?.outline()?.valid !== false) throw unavailable(index)
    return contentLength
  })
  return totalBytes(sizes)
}

function unavailable(index?: number): AssetError {
  const counted = index === undefined ? '' : ` The provider fee counts the size of file ${index}.`
  return new AssetError('FILE_UNAVAILABLE', `Asset URL not found, not available or invalid.${counted}`)
}
