import type { ErrorCode } from '@tidegate/protocol'
import { ONE_DATATOKEN } from '@tidegate/protocol/constants'
import type { OrderClaim } from './claim.js'
import type { StartedOrder } from './events.js'
import { type EmittedFee, isFileGone, isOwnQuote, isQuoteValidAt, opensFile, quotedEnvironment } from './quote.js'
import type { OrderTransactions } from './transactions.js'

/** A condition on an order: error code, error text and check. */
export type Condition<T = StartedOrder> = [ErrorCode, string, (order: T) => boolean]

/** Returns the conditions of orders and reuses: the provider fee is a recent quote for this service and file. */
export function feeConditions(
  claim: OrderClaim,
  transactions: OrderTransactions,
): Condition<Pick<StartedOrder, 'fee' | 'timestamp'>>[] {
  const { chain } = claim
  return [
    [
      'PROVIDER_KEY_MISSING',
      'This provider lacks the key that it quoted the order with. That is its fault: tell its operator, and do not pay again.',
      ({ fee }) =>
        !fee ||
        !transactions.isMissingKey(chain, fee.providerFeeAddress) ||
        !isOwnQuote(fee, { chainId: chain.chainId, keys: [{ address: fee.providerFeeAddress }] }, claim),
    ],
    [
      'ORDER_BAD_FEE',
      'The order carries no provider fee that this provider quoted for this datatoken and service on this chain.',
      ({ fee }) => fee !== undefined && isOwnQuote(fee, claim.chain, claim),
    ],
    [
      'ORDER_QUOTE_EXPIRED',
      'The provider fee of the order was quoted more than a day before.',
      ({ fee, timestamp }) => isQuoteValidAt(fee as EmittedFee, timestamp, transactions.quotesEndSince),
    ],
    [
      'ORDER_FILE_GONE',
      'The publisher has replaced or removed the file that the provider fee of the order was quoted for.',
      ({ fee }) => !isFileGone(fee as EmittedFee, claim),
    ],
    [
      'ORDER_WRONG_FILE',
      'The provider fee of the order was quoted for one file, and the order opens no other.',
      ({ fee }) => opensFile(fee as EmittedFee, claim),
    ],
  ]
}

/** Returns the conditions of orders in the order of reporting; `now` in seconds since 1970. */
export function conditions(claim: OrderClaim, transactions: OrderTransactions, now: number): Condition[] {
  return [
    [
      'ORDER_WRONG_SERVICE',
      'The order is for another service of this asset.',
      ({ serviceIndex }) => serviceIndex === BigInt(claim.serviceIndex),
    ],
    ['ORDER_UNDERPAID', 'The order is for less than one datatoken.', ({ amount }) => amount >= ONE_DATATOKEN],
    [
      'ORDER_WRONG_CONSUMER',
      'The order was made neither by nor for consumerAddress.',
      ({ consumer, payer }) => consumer === claim.consumer || payer === claim.consumer,
    ],
    ...feeConditions(claim, transactions),
    [
      'ORDER_EXPIRED',
      'The access time that the order bought has passed.',
      ({ timestamp }) => claim.timeout === 0 || Number(timestamp) + claim.timeout >= now,
    ],
  ]
}

/** A fee for an environment does not pay for access: it may be far lower. */
export const QUOTED_FOR_ACCESS: Condition<{ fee?: EmittedFee }> = [
  'ORDER_WRONG_ENVIRONMENT',
  'The order was quoted for a compute environment, and the service is one of type access.',
  ({ fee }) => quotedEnvironment(fee as EmittedFee) === null,
]

/** Returns the conditions on the quote of an order, or of a reuse that renews it; `now` in seconds since 1970. */
export function quoteConditions({ environments }: OrderClaim, now: number): Condition<{ fee?: EmittedFee }>[] {
  if (!environments) return [QUOTED_FOR_ACCESS]
  return [
    [
      'ORDER_WRONG_ENVIRONMENT',
      'The order was not quoted for this compute environment.',
      ({ fee }) => environments.includes(quotedEnvironment(fee as EmittedFee) ?? ''),
    ],
    [
      'ORDER_COMPUTE_ENDED',
      'The compute time that was paid for has passed.',
      ({ fee }) => Number((fee as EmittedFee).validUntil) >= now,
    ],
  ]
}
