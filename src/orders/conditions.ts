import type { ErrorCode } from '../errors.js'
import type { StartedOrder } from './events.js'
import { type EmittedFee, isOwnQuote, quotedEnvironment, wasGoodAt } from './quote.js'
import type { OrderTransactions } from './transactions.js'
import type { OrderClaim } from './verify.js'

/** One datatoken; the token always has 18 decimals. */
const ONE_DATATOKEN = 10n ** 18n

/** A condition that an order must meet, in the order in which they are told to the caller. */
export type Condition<T = StartedOrder> = [ErrorCode, string, (order: T) => boolean]

/** What an order and a reuse must carry alike: a fee that was quoted for this, and not long before. */
export function feeConditions(
  claim: OrderClaim,
  { quotesEndSince }: OrderTransactions,
): Condition<Pick<StartedOrder, 'fee' | 'timestamp'>>[] {
  return [
    [
      'ORDER_BAD_FEE',
      'The order carries no provider fee that this provider quoted for this datatoken and service on this chain.',
      ({ fee }) => fee !== undefined && isOwnQuote(fee, claim.chain, claim),
    ],
    [
      'ORDER_QUOTE_EXPIRED',
      'The provider fee of the order was quoted more than a day before.',
      ({ fee, timestamp }) => wasGoodAt(fee as EmittedFee, timestamp, quotesEndSince),
    ],
  ]
}

/** What an order must meet, whatever it was quoted for. */
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

/** A fee for an environment may be far below that of access, which it would evade. */
export const QUOTED_FOR_ACCESS: Condition<{ fee?: EmittedFee }> = [
  'ORDER_WRONG_ENVIRONMENT',
  'The order was quoted for a compute environment, and the service is one of type access.',
  ({ fee }) => quotedEnvironment(fee as EmittedFee) === null,
]

/** What the own quote of an order, or of a reuse that renews it, must say beside that. */
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
