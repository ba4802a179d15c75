import { CHAIN_LIMITS } from '@tidegate/chain'
import type { Cancellation } from '@tidegate/common'
import { type ErrorCode, OrderError } from '@tidegate/protocol'
import type { Hex } from 'viem'
import type { OrderClaim } from './claim.js'
import {
  CONDITIONS,
  type Condition,
  FEE_CONDITIONS,
  type Given,
  QUOTE_CONDITIONS,
  REUSED_CONDITIONS,
} from './conditions.js'
import type { ReusedOrder, StartedOrder } from './events.js'
import { type PaidFee, paidFees } from './paid.js'
import type { OrderTransactions } from './transactions.js'

/** How a claim is checked. */
export interface VerifyOptions {
  /** Whether to wait for an unknown transaction. Only for authenticated consumers. */
  waitForTransaction: boolean
  /** Seconds since 1970. */
  now: number
  /** Aborts the wait. */
  signal: Cancellation
}

/** A verified order. */
export interface VerifiedOrder {
  /** Transaction of the order, also if the claim named a reuse. */
  txId: Hex
  /** Time of the block, in seconds since 1970. */
  timestamp: number
  /** Last second of access, since 1970; Infinity if there is no end. */
  endsAt: number
  /** Fees that the order and its reuse paid to this provider. */
  paid: PaidFee[]
}

/**
 * Verifies a claim on the chain, and returns its order. Throws OrderError with the code of the first failed condition,
 * ChainError, or the signal's reason.
 */
export async function verifyOrder(
  claim: OrderClaim,
  transactions: OrderTransactions,
  checking: VerifyOptions,
): Promise<VerifiedOrder> {
  const { now, signal } = checking
  const waiter = checking.waitForTransaction ? claim.consumer : undefined
  const { events } = await transactions.read(claim, signal, waiter)
  const started = events.filter((event) => event.kind === 'started')
  if (started.length > 0) {
    const found = { txId: claim.txId, paid: paidFees(events, claim) }
    return checkStarted(started, CONDITIONS[typeOf(claim)], { claim, transactions, now }, found)
  }
  const reused = events.filter((event) => event.kind === 'reused')
  if (reused.length > 0) {
    const order = await checkReused(claim, reused, transactions, checking)
    return { ...order, paid: [...order.paid, ...paidFees(events, claim)] }
  }
  throw refusal('ORDER_NO_EVENT', "The transaction holds no order of this service's datatoken.")
}

/** Returns an order of the transaction that meets every condition. Otherwise, throws the error of the order that met most. */
function checkStarted(
  orders: StartedOrder[],
  all: readonly Condition[],
  given: Given,
  found: Pick<VerifiedOrder, 'txId' | 'paid'>,
  timed: Pick<OrderClaim, 'timeout' | 'environments'> = given.claim,
): VerifiedOrder {
  let furthest = -1
  for (const order of orders) {
    const failed = all.findIndex(([, , holds]) => !holds(order, given))
    if (failed === -1) return { timestamp: Number(order.timestamp), endsAt: endOf(order, timed), ...found }
    furthest = Math.max(furthest, failed)
  }
  const [code, message] = all[furthest] as Condition
  throw refusal(code, message)
}

function typeOf({ environments }: OrderClaim): 'access' | 'compute' {
  return environments ? 'compute' : 'access'
}

/** Returns the last second of the access time, and for compute of the time that the fee pays for. */
function endOf(
  { timestamp, fee }: Pick<StartedOrder, 'timestamp' | 'fee'>,
  { timeout, environments }: Pick<OrderClaim, 'timeout' | 'environments'>,
): number {
  const access = timeout === 0 ? Number.POSITIVE_INFINITY : Number(timestamp) + timeout
  return environments ? Math.min(access, Number(fee?.validUntil)) : access
}

/**
 * A reuse names the transaction of an order, unchecked by the contract. So that transaction must hold a valid order of
 * the same datatoken, service and consumer. A reuse renews the provider fee, never the access time.
 */
async function checkReused(
  claim: OrderClaim,
  reuses: ReusedOrder[],
  transactions: OrderTransactions,
  checking: VerifyOptions,
): Promise<VerifiedOrder> {
  const { now } = checking
  let firstError: OrderError | undefined
  const given = { claim, transactions, now }
  const all = [...FEE_CONDITIONS, ...QUOTE_CONDITIONS[typeOf(claim)]]
  const checked = new Set<Hex>()
  for (const reuse of reuses) {
    const { orderTxId } = reuse
    try {
      const failed = all.find(([, , holds]) => !holds(reuse, given))
      if (failed) throw refusal(failed[0], failed[1])
      if (checked.has(orderTxId)) continue
      if (checked.size >= CHAIN_LIMITS.receipts.reused) break
      checked.add(orderTxId)
      const order = await originalOrder(claim, orderTxId, transactions, checking)
      return { ...order, endsAt: Math.min(order.endsAt, endOf(reuse, { ...claim, timeout: 0 })) }
    } catch (error) {
      if (!(error instanceof OrderError)) throw error
      firstError ??= error
    }
  }
  throw firstError as OrderError
}

async function originalOrder(
  claim: OrderClaim,
  txId: Hex,
  transactions: OrderTransactions,
  { now, signal }: VerifyOptions,
): Promise<VerifiedOrder> {
  const badReuse = (what: string) => refusal('ORDER_BAD_REUSE', `The transaction that is reused ${what}.`)
  const { events } = await transactions.read({ ...claim, txId }, signal).catch((error: unknown) => {
    throw error instanceof OrderError && error.code === 'ORDER_NOT_FOUND' ? badReuse('was not found') : error
  })
  const started = events.filter((event) => event.kind === 'started')
  if (started.length === 0) throw badReuse('is not an order of this datatoken')
  const { timeout } = claim
  const found = { txId, paid: paidFees(events, { ...claim, txId }) }
  // the reuse ends the compute time
  return checkStarted(started, REUSED_CONDITIONS[typeOf(claim)], { claim, transactions, now }, found, { timeout })
}

function refusal(code: ErrorCode, message: string): OrderError {
  return new OrderError(code, message)
}
