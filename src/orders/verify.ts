import type { Address, Hex } from 'viem'
import { BOUNDS } from '../bounds.js'
import type { Chain } from '../chain/chains.js'
import { type ErrorCode, OrderError } from '../errors.js'
import { type Condition, conditions, feeConditions, QUOTED_FOR_ACCESS, quoteConditions } from './conditions.js'
import type { ReusedOrder, StartedOrder } from './events.js'
import type { OrderTransactions } from './transactions.js'

/** How a claim is checked. */
export interface Checking {
  /** Whether an unknown transaction is waited for; only where the consumer is proven. */
  waits: boolean
  /** Seconds since 1970. */
  now: number
  /** Ends the waiting. */
  signal: AbortSignal
}

/** Somebody says: this transaction entitles me to this service. */
export interface OrderClaim {
  chain: Chain
  txId: Hex
  datatoken: Address
  /** Position of the service in the DDO, which the order names. */
  serviceIndex: number
  serviceId: string
  /** Seconds of access that an order buys; 0 is for ever. */
  timeout: number
  consumer: Address
  /** For computing on the file: ids of the environments that the order may have been quoted for. Undefined for access. */
  environments?: string[]
}

/** Facts about the order that stands behind a claim. */
export interface GoodOrder {
  /** The transaction of the order itself, also where the claim named a reuse of it. */
  txId: Hex
  /** Seconds since 1970, of its block. */
  timestamp: number
}

/**
 * Checks a claim against the chain and answers the order behind it. Throws OrderError with the code of the first
 * condition that does not hold, or ChainError, or the signal's reason.
 */
export async function verifyOrder(
  claim: OrderClaim,
  transactions: OrderTransactions,
  checking: Checking,
): Promise<GoodOrder> {
  const { now, signal } = checking
  const waitsFor = checking.waits ? claim.consumer : undefined
  const { events } = await transactions.read(claim, signal, waitsFor)
  const started = events.filter((event) => event.kind === 'started')
  if (started.length > 0)
    return checkStarted(started, claim.txId, [...conditions(claim, transactions, now), ...quoteConditions(claim, now)])
  const reused = events.filter((event) => event.kind === 'reused')
  if (reused.length > 0) return checkReused(claim, reused, transactions, checking)
  throw refusal('ORDER_NO_EVENT', "The transaction holds no order of this service's datatoken.")
}

/** One of the orders in a transaction must meet every condition; otherwise the one that came furthest says why. */
function checkStarted(orders: StartedOrder[], txId: Hex, all: Condition[]): GoodOrder {
  let furthest = -1
  for (const order of orders) {
    const failed = all.findIndex(([, , holds]) => !holds(order))
    if (failed === -1) return { txId, timestamp: Number(order.timestamp) }
    furthest = Math.max(furthest, failed)
  }
  const [code, message] = all[furthest] as Condition
  throw refusal(code, message)
}

/**
 * A reuse stands for the order it names, and the contract lets anyone name anything: so that transaction must itself
 * hold a good order of the same datatoken, service and consumer. It renews the provider fee, never the access time.
 */
async function checkReused(
  claim: OrderClaim,
  reuses: ReusedOrder[],
  transactions: OrderTransactions,
  checking: Checking,
): Promise<GoodOrder> {
  const { now } = checking
  let reason: OrderError | undefined
  const all = [...feeConditions(claim, transactions), ...quoteConditions(claim, now)]
  const looked = new Set<Hex>()
  for (const reuse of reuses) {
    const { orderTxId } = reuse
    try {
      const failed = all.find(([, , holds]) => !holds(reuse))
      if (failed) throw refusal(failed[0], failed[1])
      if (looked.has(orderTxId)) continue
      if (looked.size >= BOUNDS.receipts.reused) break
      looked.add(orderTxId)
      return await originalOrder(claim, orderTxId, transactions, checking)
    } catch (error) {
      if (!(error instanceof OrderError)) throw error
      reason ??= error
    }
  }
  throw reason as OrderError
}

async function originalOrder(
  claim: OrderClaim,
  txId: Hex,
  transactions: OrderTransactions,
  { now, signal }: Checking,
): Promise<GoodOrder> {
  const badReuse = (what: string) => refusal('ORDER_BAD_REUSE', `The transaction that is reused ${what}.`)
  const { events } = await transactions.read({ ...claim, txId }, signal).catch((error: unknown) => {
    throw error instanceof OrderError && error.code === 'ORDER_NOT_FOUND' ? badReuse('was not found') : error
  })
  const started = events.filter((event) => event.kind === 'started')
  if (started.length === 0) throw badReuse('is not an order of this datatoken')
  // a reuse renews environment and time of computing; for access the order itself must have been quoted rightly
  const quoted = claim.environments ? [] : [QUOTED_FOR_ACCESS]
  return checkStarted(started, txId, [...conditions(claim, transactions, now), ...quoted])
}

function refusal(code: ErrorCode, message: string): OrderError {
  return new OrderError(code, message)
}
