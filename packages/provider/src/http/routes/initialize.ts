import type { Cancellation } from '@tidegate/common'
import { AssetError, OrderError, ValidationError } from '@tidegate/protocol'
import { type FileDescription, inBatches, type StoredFile } from '@tidegate/storage'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { zeroAddress } from 'viem'
import * as z from 'zod'
import { chosenEnvironment } from '../../access/environments.js'
import { completeUserdata } from '../../access/parameters.js'
import { assertAdmitted } from '../../access/policy.js'
import { type OpenService, openService } from '../../access/service.js'
import type { OrderClaim } from '../../orders/claim.js'
import { fittingRule, nameOf, priceByRule, totalBytes } from '../../orders/fees.js'
import { quoteFee } from '../../orders/quote.js'
import { verifyOrder } from '../../orders/verify.js'
import type { Context } from '../context.js'
import { ADDRESS, HEX, json, object } from '../endpoints/docs.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'
import { address, described, readParams, text, transactionId, whole } from '../endpoints/params.js'
import { userdata } from '../endpoints/userdata.js'

const params = z.object({
  documentId: text,
  serviceId: text,
  consumerAddress: address,
  fileIndex: whole.optional(),
  validUntil: whole.optional(),
  transferTxId: transactionId.optional(),
  environment: described(
    text,
    'Id of the compute environment that the order is for. Required for a compute service, ignored for an access service.',
    'small',
  ).optional(),
  userdata: userdata.optional(),
})

const QUOTE = object(
  {
    datatoken: ADDRESS,
    nonce: { type: 'number', description: 'Last nonce that the consumer used.' },
    computeAddress: {
      ...ADDRESS,
      description: 'Consumer address of the compute environment; the zero address for access.',
    },
    providerFee: object({
      providerFeeAddress: ADDRESS,
      providerFeeToken: ADDRESS,
      providerFeeAmount: { type: 'string', pattern: '^[0-9]+$', description: "In the token's smallest unit." },
      providerData: HEX,
      v: { enum: [27, 28] },
      r: HEX,
      s: HEX,
      validUntil: { type: 'integer', description: 'Seconds since 1970; 0 means no expiry.' },
    }),
    providerFeeRule: {
      type: 'string',
      description: 'Which rule of the provider the fee follows; left out where it has none (PROVIDER_FEES).',
    },
  },
  ['providerFeeRule'],
)

/** Quotes an order: the datatoken to spend and the signed provider fee. */
export const initialize: Endpoint = {
  names: ['initialize'],
  method: 'GET',
  path: `${PREFIX}/initialize`,
  anonymous: true,
  doc: {
    summary: 'Quote an order',
    description:
      'The datatoken to spend and the signed provider fee to order with. With fileIndex, that file is tested. A fee by size counts all files of the service; with fileIndex it counts that file, and the order opens no other. With transferTxId, an order that still opens the file, or without fileIndex all files, is returned instead.',
    params: params.shape,
    responses: {
      200: json('The quote, or the order that is still valid.', { anyOf: [QUOTE, object({ validOrder: HEX })] }),
    },
    errors: [
      'DID_NOT_RESOLVED',
      'UNKNOWN_SERVICE',
      'FILES_UNREADABLE',
      'NO_SUCH_FILE',
      'FILE_UNAVAILABLE',
      'ASSET_NOT_CONSUMABLE',
      'CREDENTIALS_DENIED',
      'CREDENTIALS_UNAVAILABLE',
      'PURGATORY',
      'RBAC_DENIED',
      'RBAC_UNAVAILABLE',
      'CHAIN_UNAVAILABLE',
      'CLOCK_WRONG',
      'PROVIDER_KEY_MISSING',
    ],
  },
  register(app, context) {
    app.get(this.path, async (request, reply) => {
      const requested = readParams(params, request)
      const now = Math.floor(Date.now() / 1000)
      if (requested.validUntil !== undefined && requested.validUntil !== 0 && requested.validUntil <= now)
        throw ValidationError.of('validUntil', 'The validUntil field must lie in the future (UTC seconds).')
      const consumer = requested.consumerAddress.address
      const opened = await openService(context, requested.documentId, requested.serviceId)
      const { asset, service, index } = opened
      const environment = chosenEnvironment(service.type, requested, asset.chain.chainId, context.settings)
      context.purgatory.assertServed(asset.ddo.id, consumer)
      const where = { lists: context.accessLists, chainId: asset.chain.chainId }
      await assertAdmitted(consumer, [...asset.ddo.credentials, ...service.credentials], where)
      const about = { did: asset.ddo.id, serviceId: service.id }
      await context.accessControl({ event: 'initialize', provider: asset.chain.key.address, consumer, service: about })
      const { fileIndex } = requested
      const files = opened.files()
      if (fileIndex === undefined) assertSomeUsable(files)
      else opened.file(fileIndex)

      const { datatokenAddress: datatoken, id: serviceId, timeout } = service
      const environments = environment ? [environment.id] : undefined
      const claim = {
        ...{ chain: asset.chain, datatoken, serviceIndex: index, serviceId, timeout, consumer, environments },
        fileIndex: fileIndex ?? (files.length === 1 ? 0 : undefined),
      }
      const earlier = requested.transferTxId
      if (
        earlier !== undefined &&
        (await isStillValid(context, { ...claim, txId: earlier }, now, request.lifetime.signal))
      )
        return { validOrder: earlier }

      const describe = describer(context, opened, request, reply)
      if (fileIndex !== undefined) {
        completeUserdata(service.consumerParameters, requested.userdata)
        if (!(await describe(fileIndex)).valid) throw unavailable()
      }
      await context.clock.assertQuotable(asset.chain)
      const validUntil = requested.validUntil ?? 0
      const { PROVIDER_FEES: rules } = context.settings
      const rule = await fittingRule(rules, subjectOf(context, opened))
      const isBySize = rule !== undefined && rule.perGiB > 0n
      // an order whose fee does not depend on its files opens all of them
      const only = isBySize ? fileIndex : undefined
      const bytes = isBySize ? await bytesOf(files, only, describe) : 0n
      const price = rule && priceByRule(rule, asset.chain, { bytes, seconds: validUntil - now, timeout })
      const terms = { datatoken, serviceId, environment, validUntil, now, price, fileIndex: only }
      const providerFee = quoteFee(asset.chain, terms)
      const last = await context.store.nonces.last(consumer, asset.chain.chainId)
      const body = JSON.stringify({
        datatoken,
        providerFee,
        computeAddress: environment?.consumerAddress ?? zeroAddress,
        ...(rules.length > 0 ? { providerFeeRule: nameOf(rule) } : {}),
      })
      // written by hand, since a nonce may have more digits than a JavaScript number can hold
      const nonce = await context.cutOver.lastNonce(last)
      reply.type('application/json; charset=utf-8')
      return `{"nonce":${nonce},${body.slice(1)}`
    })
  },
}

/** Throws AssetError if no file can be delivered because every descriptor is unsupported. */
function assertSomeUsable(files: StoredFile[]): void {
  if (files.every((file) => file.outline()?.valid === false))
    throw new AssetError('FILES_UNREADABLE', 'Unable to get dataset files')
}

type Describe = (index: number) => Promise<FileDescription>

/**
 * Returns a function that describes a file, as far as that is possible without an order. Descriptions are cached, and one
 * deadline applies to all files of a request. It throws LimitError, AssetError, StorageError.
 */
function describer(
  { anonymous, descriptions, settings }: Context,
  { asset, service, file: fileAt }: OpenService,
  request: FastifyRequest,
  reply: FastifyReply,
): Describe {
  const deadline = request.lifetime.deadline(settings.DESCRIBE_TIMEOUT)
  const spend = (bytes: number) => anonymous.spend(request, bytes)
  return async (index) => {
    const file = fileAt(index)
    const published = { did: asset.ddo.id, serviceId: service.id, index, files: service.files, file }
    if (file.describesByReading) anonymous.assertBytesLeft(request, reply)
    try {
      return await descriptions.get(published, { checksumBelow: undefined, spend }, deadline)
    } catch (error) {
      if (deadline.aborted) return { valid: false }
      throw error
    }
  }
}

/**
 * Returns the bytes of all files that an order opens: one file, or every file of the service. Throws AssetError if one of
 * them is unavailable now: it may be back when the order is used.
 */
async function bytesOf(files: StoredFile[], only: number | undefined, describe: Describe): Promise<bigint> {
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

/** The properties of an order that its fee depends on. */
function subjectOf({ store }: Context, { asset, service }: OpenService) {
  const { chain, nft, ddo } = asset
  const publisher = async () => (await store.index.nft(chain.chainId, nft))?.owner
  return { chain, did: ddo.id, publisher, serviceType: service.type }
}

/** Returns whether an earlier order still grants access; false for a transaction that is not a valid order. */
async function isStillValid(
  { orders }: Context,
  claim: OrderClaim,
  now: number,
  signal: Cancellation,
): Promise<boolean> {
  try {
    await verifyOrder(claim, orders, { waitForTransaction: false, now, signal })
    return true
  } catch (error) {
    // a new order would be paid twice
    if (error instanceof OrderError && error.code !== 'PROVIDER_KEY_MISSING') return false
    throw error
  }
}
