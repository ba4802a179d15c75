import type { ErrorCode } from '@tidegate/protocol'
import { ONE_DATATOKEN } from '@tidegate/protocol/constants'
import type { OrderClaim } from './claim.js'
import type { StartedOrder } from './events.js'
import { type EmittedFee, isFileGone, isOwnQuote, isQuoteValidAt, opensFile, quotedEnvironment } from './quote.js'
import type { OrderTransactions } from './transactions.js'

/** The facts that decide on an order: the claim, earlier quotes, and the time in seconds since 1970. */
export interface Given {
  claim: OrderClaim
  transactions: OrderTransactions
  now: number
}

/** A condition on an order: error code, error text and check. */
export type Condition<T = StartedOrder> = readonly [ErrorCode, string, (order: T, given: Given) => boolean]

/** The conditions of orders and reuses: the provider fee is a recent quote for this service and file. */
export const FEE_CONDITIONS: readonly Condition<Pick<StartedOrder, 'fee' | 'timestamp'>>[] = [
  [
    'PROVIDER_KEY_MISSING',
    'This provider lacks the key that it quoted the order with. That is its fault: tell its operator, and do not pay again.',
    ({ fee }, { claim, transactions }) =>
      !fee ||
      !transactions.isMissingKey(claim.chain, fee.providerFeeAddress) ||
      !isOwnQuote(fee, { chainId: claim.chain.chainId, keys: [{ address: fee.providerFeeAddress }] }, claim),
  ],
  [
    'ORDER_BAD_FEE',
    'The order carries no provider fee that this provider quoted for this datatoken and service on this chain.',
    ({ fee }, { claim }) => fee !== undefined && isOwnQuote(fee, claim.chain, claim),
  ],
  [
    'ORDER_QUOTE_EXPIRED',
    'The provider fee of the order was quoted more than a day before.',
    ({ fee, timestamp }, { transactions }) => isQuoteValidAt(fee as EmittedFee, timestamp, transactions.quotesEndSince),
  ],
  [
    'ORDER_FILE_GONE',
    'The publisher has replaced or removed the file that the provider fee of the order was quoted for.',
    ({ fee }, { claim }) => !isFileGone(fee as EmittedFee, claim),
  ],
  [
    'ORDER_WRONG_FILE',
    'The provider fee of the order was quoted for one file, and the order opens no other.',
    ({ fee }, { claim }) => opensFile(fee as EmittedFee, claim),
  ],
]

/** The conditions of orders in the order of reporting. */
const ORDER_CONDITIONS: readonly Condition[] = [
  [
    'ORDER_WRONG_SERVICE',
    'The order is for another service of this asset.',
    ({ serviceIndex }, { claim }) => serviceIndex === BigInt(claim.serviceIndex),
  ],
  ['ORDER_UNDERPAID', 'The order is for less than one datatoken.', ({ amount }) => amount >= ONE_DATATOKEN],
  [
    'ORDER_WRONG_CONSUMER',
    'The order was made neither by nor for consumerAddress.',
    ({ consumer, payer }, { claim }) => consumer === claim.consumer || payer === claim.consumer,
  ],
  ...FEE_CONDITIONS,
  [
    'ORDER_EXPIRED',
    'The access time that the order bought has passed.',
    ({ timestamp }, { claim, now }) => claim.timeout === 0 || Number(timestamp) + claim.timeout >= now,
  ],
]

type Quoted = Condition<{ fee?: EmittedFee }>

/** A fee for an environment does not pay for access: it may be far lower. */
const QUOTED_FOR_ACCESS: Quoted = [
  'ORDER_WRONG_ENVIRONMENT',
  'The order was quoted for a compute environment, and the service is one of type access.',
  ({ fee }) => quotedEnvironment(fee as EmittedFee) === null,
]

/** The conditions on the quote of an order, or of a reuse that renews it. */
export const QUOTE_CONDITIONS: Record<'access' | 'compute', readonly Quoted[]> = {
  access: [QUOTED_FOR_ACCESS],
  compute: [
    [
      'ORDER_WRONG_ENVIRONMENT',
      'The order was not quoted for this compute environment.',
      ({ fee }, { claim }) => claim.environments?.includes(quotedEnvironment(fee as EmittedFee) ?? '') === true,
    ],
    [
      'ORDER_COMPUTE_ENDED',
      'The compute time that was paid for has passed.',
      ({ fee }, { now }) => Number((fee as EmittedFee).validUntil) >= now,
    ],
  ],
}

const ACCESS_CONDITIONS = [...ORDER_CONDITIONS, ...QUOTE_CONDITIONS.access]

/** The conditions of an order, by the type of its service. */
export const CONDITIONS = {
  access: ACCESS_CONDITIONS,
  compute: [...ORDER_CONDITIONS, ...QUOTE_CONDITIONS.compute],
}

/** The conditions of an order that was reused. The reuse renews environment and compute time. */
export const REUSED_CONDITIONS = { access: ACCESS_CONDITIONS, compute: ORDER_CONDITIONS }
