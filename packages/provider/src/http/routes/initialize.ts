import * as z from 'zod'
import { type AnonymousCaller, describePublished } from '../../access/files/describe-files.js'
import { lastNonce } from '../../auth/auth.js'
import { quoteOrder } from '../../orders/quote-order.js'
import { ADDRESS, HEX, type JsonSchema, json, named, object } from '../endpoints/docs.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'
import { policyServer, userdata } from '../endpoints/object-params.js'
import { address, described, readParams, text, transactionId, whole } from '../endpoints/params.js'

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
  policyServer: described(
    policyServer,
    'The session of the policy server in which the credentials were presented, as in a download. Without it a quote does not ask the policy server, and says so.',
  ).optional(),
})

const ASKED: JsonSchema = {
  const: 'required',
  description:
    'The download needs a session of the policy server (initializePSVerification), which was not asked for this quote. Left out otherwise.',
}

const QUOTE = named(
  'Quote',
  object(
    {
      datatoken: ADDRESS,
      nonce: { type: 'number', description: 'Last nonce that the consumer used.' },
      computeAddress: {
        ...ADDRESS,
        description: 'Consumer address of the compute environment; the zero address for access.',
      },
      providerFee: named(
        'ProviderFee',
        object({
          providerFeeAddress: ADDRESS,
          providerFeeToken: ADDRESS,
          providerFeeAmount: { type: 'string', pattern: '^[0-9]+$', description: "In the token's smallest unit." },
          providerData: HEX,
          v: { enum: [27, 28] },
          r: HEX,
          s: HEX,
          validUntil: { type: 'integer', description: 'Seconds since 1970; 0 means no expiry.' },
        }),
      ),
      providerFeeRule: {
        type: 'string',
        description: 'Which rule of the provider the fee follows; left out where it has none (PROVIDER_FEES).',
      },
      policyServer: ASKED,
    },
    ['providerFeeRule', 'policyServer'],
  ),
)

/** Errors of a quote. */
export const QUOTE_ERRORS = [
  'DID_NOT_RESOLVED',
  'UNKNOWN_SERVICE',
  'FILES_UNREADABLE',
  'FILES_IN_DATATOKEN',
  'FILES_REFUSED',
  'NO_SUCH_FILE',
  'FILE_UNAVAILABLE',
  'ASSET_NOT_CONSUMABLE',
  'CREDENTIALS_DENIED',
  'CREDENTIALS_UNAVAILABLE',
  'PURGATORY',
  'TAKEN_DOWN',
  'POLICY_DENIED',
  'POLICY_UNAVAILABLE',
  'RBAC_DENIED',
  'RBAC_UNAVAILABLE',
  'CHAIN_UNAVAILABLE',
  'CLOCK_WRONG',
  'CANNOT_DELIVER',
  'PROVIDER_KEY_MISSING',
] as const

/** Quotes an order: the datatoken to spend and the signed provider fee. */
export const initialize: Endpoint = {
  names: ['initialize'],
  method: 'GET',
  path: `${PREFIX}/initialize`,
  nonce: 'none',
  anonymous: true,
  doc: {
    summary: 'Quote an order',
    description:
      'The datatoken to spend and the signed provider fee to order with. With fileIndex, that file is tested. A fee by size counts all files of the service; with fileIndex it counts that file, and the order opens no other. With transferTxId, an order that still opens the file, or without fileIndex all files, is returned instead.',
    params: params.shape,
    responses: {
      200: json('The quote, or the order that is still valid.', {
        anyOf: [QUOTE, named('ValidOrder', object({ validOrder: HEX, policyServer: ASKED }, ['policyServer']))],
      }),
    },
    errors: QUOTE_ERRORS,
  },
  register(app, { settings, access, auth, catalog, files, anonymous, health }) {
    app.get(this.path, async (request, reply) => {
      const { consumerAddress, ...order } = readParams(params, request)
      const consumer = consumerAddress.address
      let caller: AnonymousCaller | undefined
      const quote = await quoteOrder(
        { ...order, consumer },
        {
          access,
          health,
          rules: settings.PROVIDER_FEES,
          describe(opened, index) {
            caller ??= anonymous.caller(request, settings.DESCRIBE_TIMEOUT)
            return describePublished(files.descriptions, opened, index, caller)
          },
          publisherOf: catalog.publisherOf,
          signal: request.lifetime.signal,
        },
      )
      if ('validOrder' in quote) return quote
      const { chainId, ...body } = quote
      // as text: the nonce may have more digits than a JavaScript number
      const nonce = await lastNonce(auth, consumer, chainId)
      reply.type('application/json; charset=utf-8')
      return `{"nonce":${nonce},${JSON.stringify(body).slice(1)}`
    })
  },
}
