import type { FastifyRequest } from 'fastify'
import { zeroAddress } from 'viem'
import { z } from 'zod'
import { chosenEnvironment } from '../../access/environments.js'
import { completeUserdata } from '../../access/parameters.js'
import { assertAdmitted } from '../../access/policy.js'
import { openService } from '../../access/service.js'
import { FIRST_NONCE, nonceNumber } from '../../auth/nonce.js'
import type { Context } from '../../context.js'
import { AssetError, OrderError, ValidationError } from '../../errors.js'
import { quoteFee } from '../../orders/quote.js'
import { type OrderClaim, verifyOrder } from '../../orders/verify.js'
import type { PublishedFile } from '../../storage/describing.js'
import { ADDRESS, HEX, json, object } from '../docs.js'
import { type Endpoint, PREFIX } from '../endpoint.js'
import { address, described, readParams, text, transactionId, whole } from '../params.js'
import { userdata } from '../userdata.js'

const params = z.object({
  documentId: text,
  serviceId: text,
  consumerAddress: address,
  fileIndex: whole.optional(),
  validUntil: whole.optional(),
  transferTxId: transactionId.optional(),
  environment: described(
    text,
    'Id of the compute environment that the order is for. Required for a service that sells computing, refused for access.',
    'small',
  ).optional(),
  userdata: userdata.optional(),
})

const QUOTE = object({
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
    validUntil: { type: 'integer', description: 'Seconds since 1970; 0 is without end.' },
  }),
})

/** Quotes an order: the datatoken to spend and the provider fee to pass on, signed. */
export const initialize: Endpoint = {
  names: ['initialize'],
  method: 'GET',
  path: `${PREFIX}/initialize`,
  anonymous: true,
  doc: {
    summary: 'Quote an order',
    description:
      'The datatoken to spend and the signed provider fee to order with. With fileIndex that file is tested; with transferTxId an order that still holds is named instead.',
    params: params.shape,
    responses: {
      200: json('The quote, or the order that still holds.', { anyOf: [QUOTE, object({ validOrder: HEX })] }),
    },
    errors: [
      'DID_NOT_RESOLVED',
      'UNKNOWN_SERVICE',
      'FILES_UNREADABLE',
      'NO_SUCH_FILE',
      'FILE_UNAVAILABLE',
      'ASSET_NOT_CONSUMABLE',
      'CREDENTIALS_DENIED',
      'PURGATORY',
      'RBAC_DENIED',
      'RBAC_UNAVAILABLE',
      'CHAIN_UNAVAILABLE',
    ],
  },
  register(app, context) {
    app.get(this.path, async (request, reply) => {
      const asked = readParams(params, request)
      const now = Math.floor(Date.now() / 1000)
      if (asked.validUntil !== undefined && asked.validUntil !== 0 && asked.validUntil <= now)
        throw ValidationError.of('validUntil', 'The validUntil field must lie in the future (UTC seconds).')
      const consumer = asked.consumerAddress.address
      const opened = await openService(context, asked.documentId, asked.serviceId)
      const { asset, service, index } = opened
      const environment = chosenEnvironment(service.type, asked, asset.chain.chainId, context.settings)
      context.purgatory.assertServed(asset.ddo.id, consumer)
      assertAdmitted(consumer, [...asset.ddo.credentials, ...service.credentials])
      const about = { did: asset.ddo.id, serviceId: service.id }
      await context.accessControl({ event: 'initialize', provider: asset.chain.key.address, consumer, service: about })
      const fileIndex = asked.fileIndex ?? 0
      const file = opened.file(fileIndex)
      if (asked.fileIndex !== undefined) {
        completeUserdata(service.consumerParameters, asked.userdata)
        const published = { did: asset.ddo.id, serviceId: service.id, index: fileIndex, files: service.files, file }
        if (file.describesByReading) context.anonymous.assertBytesLeft(request, reply)
        if (!(await isAvailable(context, published, request)))
          throw new AssetError('FILE_UNAVAILABLE', 'Asset URL not found, not available or invalid.')
      }

      const { datatokenAddress: datatoken, id: serviceId, timeout } = service
      const environments = environment ? [environment.id] : undefined
      const claim = { chain: asset.chain, datatoken, serviceIndex: index, serviceId, timeout, consumer, environments }
      const earlier = asked.transferTxId
      if (earlier !== undefined && (await holds(context, { ...claim, txId: earlier }, now, request.lifetime.signal)))
        return { validOrder: earlier }

      const validUntil = asked.validUntil ?? 0
      const providerFee = quoteFee(asset.chain, { datatoken, serviceId, environment, validUntil, now })
      const last = await context.store.nonces.last(consumer, asset.chain.chainId)
      const body = JSON.stringify({
        datatoken,
        providerFee,
        computeAddress: environment?.consumerAddress ?? zeroAddress,
      })
      // the nonce is put in by hand: it may have more digits than a JavaScript number keeps
      const nonce = last === undefined ? FIRST_NONCE : nonceNumber(last)
      return reply.type('application/json; charset=utf-8').send(`{"nonce":${nonce},${body.slice(1)}`)
    })
  },
}

/** Whether a file can be had, as far as can be told without an order. */
async function isAvailable(
  { anonymous, descriptions, settings }: Context,
  file: PublishedFile,
  request: FastifyRequest,
): Promise<boolean> {
  const signal = request.lifetime.deadline(settings.DESCRIBE_TIMEOUT)
  const spend = (bytes: number) => anonymous.spend(request, bytes)
  try {
    return (await descriptions.of(file, { checksumBelow: undefined, spend }, signal)).valid
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}

/** Whether an earlier order still gives access. A transaction that is no good order is simply none to reuse. */
async function holds({ orders }: Context, claim: OrderClaim, now: number, signal: AbortSignal): Promise<boolean> {
  try {
    await verifyOrder(claim, orders, { waits: false, now, signal })
    return true
  } catch (error) {
    if (error instanceof OrderError) return false
    throw error
  }
}
