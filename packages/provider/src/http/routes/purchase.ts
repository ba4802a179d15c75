import { createHash } from 'node:crypto'
import { ProviderError } from '@tidegate/protocol'
import type { Purchase, PurchaseDesk, Wanted } from '@tidegate/purchases'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatUnits, isHash } from 'viem'
import * as z from 'zod'
import { admit } from '../../access/admission.js'
import { linkLifetime } from '../../access/download-grant.js'
import { openService } from '../../access/service.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import { ADDRESS, HEX, json, named, object } from '../endpoints/docs.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'
import { described, readParams, sha256, text, whole } from '../endpoints/params.js'
import { publicUrl } from '../endpoints/public-url.js'
import type { Services } from '../services.js'
import { linkTo } from './download-link.js'
import { QUOTE_ERRORS } from './initialize.js'

const PATH = `${PREFIX}/purchase`

const params = z.object({
  documentId: text,
  serviceId: text,
  fileIndex: whole.optional(),
  acceptTerms: sha256.optional(),
})

const RECEIPT = named(
  'PurchaseReceipt',
  object(
    {
      ...{ chainId: { type: 'integer' }, documentId: { type: 'string' }, serviceId: { type: 'string' } },
      ...{ fileIndex: { type: 'integer' }, token: ADDRESS, payer: ADDRESS, nonce: HEX, paid: { type: 'string' } },
      ...{ settleTxId: HEX, transferTxId: HEX, terms: { type: 'string' } },
      signature: { ...HEX, description: 'By the account that took the payment (EIP-712).' },
    },
    ['fileIndex', 'terms'],
  ),
)

const PURCHASE = named(
  'Purchase',
  object(
    {
      id: HEX,
      state: { enum: ['received', 'settled', 'ordered', 'refunded', 'failed'] },
      reason: { type: 'string', description: 'Why it failed, or is refunded.' },
      documentId: { type: 'string' },
      serviceId: { type: 'string' },
      fileIndex: { type: 'integer' },
      consumer: ADDRESS,
      chainId: { type: 'integer' },
      token: ADDRESS,
      paid: { type: 'string', description: "What has arrived, in the token's smallest unit." },
      refunded: { type: 'string', description: 'What went back.' },
      settleTxId: HEX,
      transferTxId: { ...HEX, description: 'The order.' },
      refundTxId: HEX,
      validUntil: { type: 'integer', description: 'Seconds since 1970 (UTC) until which the order opens the file.' },
      terms: { type: 'string', description: 'SHA-256 of the terms that the buyer named as accepted.' },
      receipt: RECEIPT,
      link: object({ url: { type: 'string', format: 'uri' }, expires: { type: 'integer' } }),
    },
    ['reason', 'fileIndex', 'settleTxId', 'transferTxId', 'refundTxId', 'validUntil', 'terms', 'receipt', 'link'],
  ),
)

/** Answers with the price of an order that is paid by a signature (x402), and takes the payment. */
const purchaseBy = (method: 'GET' | 'POST'): Endpoint => ({
  names: method === 'GET' ? ['purchase'] : [],
  isOffered: ({ purchases }) => purchases !== undefined,
  method,
  path: PATH,
  nonce: 'none',
  anonymous: true,
  doc: {
    operationId: method === 'GET' ? 'purchase' : 'purchaseByPost',
    summary: 'Buy without coins of the chain',
    description:
      'Speaks x402 version 2. Without a payment it answers 402 with the price in PAYMENT-REQUIRED. With a payment in PAYMENT-SIGNATURE it settles the payment, orders for the payer, and answers with the order and a download link, or refunds. While the outcome is not known it answers 202: repeat the same payment, never sign another one. Only the request that made the purchase, or one with the same payment-identifier, gets the link: once it is settled, anybody can read the payment on the chain.',
    params: params.shape,
    ...(method === 'POST' ? { body: 'json' as const } : {}),
    headers: { 'PAYMENT-SIGNATURE': 'The payment: JSON of x402 in base64.' },
    responses: {
      200: json('The order.', PURCHASE),
      202: json('The purchase is under way. Retry-After says when to ask again.', PURCHASE),
      402: json('The payment is missing, or was not taken; or the purchase failed, or was refunded.', {
        anyOf: [PURCHASE, { type: 'object', maxProperties: 0 }],
      }),
    },
    errors: [...QUOTE_ERRORS, 'NOT_OFFERED', 'PURCHASE_CONFLICT', 'PURCHASE_LIMITED', 'PURCHASE_UNAVAILABLE'],
  },
  register(app, services) {
    const { purchases: desk } = services
    if (!desk) return
    const answer = (request: FastifyRequest, reply: FastifyReply) => answerPurchase(request, reply, desk, services)
    if (method === 'GET') app.get(PATH, { exposeHeadRoute: false }, answer)
    else app.post(PATH, answer)
  },
})

export const purchase = purchaseBy('GET')
export const purchaseByPost = purchaseBy('POST')

/** Shows a purchase. */
export const purchaseState: Endpoint = {
  names: [],
  isOffered: ({ purchases }) => purchases !== undefined,
  method: 'GET',
  path: `${PATH}/:id`,
  nonce: 'none',
  anonymous: true,
  doc: {
    operationId: 'purchaseState',
    summary: 'Show a purchase',
    description: 'How a purchase stands, without the link. All but the terms and the receipt is on the chain as well.',
    path: { id: described(text, 'The id of the purchase.', `0x${'00'.repeat(32)}`) },
    responses: { 200: json('The purchase.', PURCHASE) },
    errors: ['PURCHASE_NOT_FOUND'],
  },
  register(app, { purchases: desk }) {
    if (!desk) return
    app.get(this.path, async (request, reply) => {
      const { id } = request.params as { id: string }
      const found = await desk.find(isHash(id) ? id : '0x')
      return reply.header('cache-control', 'no-store').send(await bodyOf(found, desk))
    })
  },
}

async function answerPurchase(
  request: FastifyRequest,
  reply: FastifyReply,
  desk: PurchaseDesk,
  services: Services,
): Promise<FastifyReply> {
  const wire = await import('@tidegate/purchases')
  const { documentId: did, serviceId: service, fileIndex: file, acceptTerms: terms } = readParams(params, request)
  const wanted: Wanted = { did, service, file, terms }
  const { signal } = request.lifetime
  reply.header('cache-control', 'no-store')
  const header = request.headers[wire.PAYMENT_HEADER]
  const demand = async (error?: string): Promise<void> => {
    const terms = await desk.terms(wanted)
    const { symbol, decimals } = terms.token
    const gas = terms.gasFee > 0n ? `, with ${formatUnits(terms.gasFee, decimals)} ${symbol} for gas` : ''
    const resource = {
      url: `${publicUrl(request, services.settings)}${request.url}`,
      description: `Order of ${service} of ${did}${gas}`,
    }
    reply.code(402).header('payment-required', wire.paymentRequired(terms, resource, error))
  }
  if (typeof header !== 'string') {
    await demand()
    return reply.send({})
  }
  const { payment, payTo, identifier } = wire.readPayment(header)
  const secret = identifier && createHash('sha256').update(identifier).digest('hex')
  let taken: Awaited<ReturnType<PurchaseDesk['take']>>
  try {
    taken = await desk.take(wanted, payment, payTo, secret)
  } catch (error) {
    if (!(error instanceof wire.PaymentRefused)) throw error
    request.refusal = { code: 'PAYMENT_REFUSED', reason: error.reason }
    await demand(error.reason)
    return reply.header('payment-response', wire.refusedResponse(payment, error.reason)).send({})
  }
  const { isNew, purchase: record } = taken
  request.subject = { did, service, consumer: payment.payer }
  const purchase = await desk.wait(record.id, wire.PURCHASE_LIMITS.cashier.wait, signal)
  if (!wire.isDecided(purchase))
    return reply
      .code(202)
      .header('retry-after', PROVIDER_LIMITS.purchases.retry)
      .send(await bodyOf(purchase, desk))
  reply.header('payment-response', wire.paymentResponse(purchase))
  if (purchase.state !== 'ordered') return reply.code(402).send(await bodyOf(purchase, desk))
  const isPayer = isNew || (secret !== undefined && secret === record.identifier)
  return reply.send({
    ...(await bodyOf(purchase, desk)),
    ...(isPayer ? await linkOf(purchase, request, services) : {}),
  })
}

/** Returns a link to the files of an order; nothing if they cannot be opened now: the order can still be used. */
async function linkOf(
  { wanted, payment, orderTx }: Purchase,
  request: FastifyRequest,
  services: Services,
): Promise<{ link?: { url: string; expires: number }; validUntil?: number }> {
  const { access, settings } = services
  try {
    const opened = await openService(access, wanted.did, wanted.service)
    // the only file is sent as it is, and several as an archive
    const fileIndex = wanted.file ?? (opened.count() === 1 ? 0 : undefined)
    const order = { fileIndex, transferTxId: orderTx as Purchase['id'] }
    const admitted = await admit(access, opened, { address: payment.payer }, order, request.lifetime)
    const terms = { orderTx: order.transferTxId, userdata: undefined, lifetime: linkLifetime(undefined, settings) }
    const link = await linkTo(admitted, terms, publicUrl(request, settings), request, services)
    return { link, ...(Number.isFinite(admitted.order.endsAt) ? { validUntil: admitted.order.endsAt } : {}) }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    request.log.warn({ code: error.code }, 'a bought file cannot be opened now')
    return {}
  }
}

/** Returns a purchase as clients see it, with the receipt of an order. */
async function bodyOf(purchase: Purchase, desk: PurchaseDesk) {
  const { id, state, reason, payment, wanted, paid, refunded, settleTx, orderTx, refundTx } = purchase
  return {
    ...{ id, state, reason, documentId: wanted.did, serviceId: wanted.service, fileIndex: wanted.file },
    ...{ consumer: payment.payer, chainId: payment.chainId, token: payment.token },
    ...{ paid: `${paid}`, refunded: `${refunded}`, settleTxId: settleTx, transferTxId: orderTx, refundTxId: refundTx },
    ...{ terms: wanted.terms, receipt: await desk.receipt(purchase) },
  }
}
