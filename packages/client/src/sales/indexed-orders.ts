import { isDid } from '@tidegate/protocol/did'
import { addressIn, fieldsOf, listOf } from '@tidegate/protocol/values'
import type { Address, Hex } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'

/** An order as the provider's index lists it. */
export interface IndexedOrder {
  tx: Hex
  chainId: number
  /** Empty if the asset was never described. */
  did: string
  datatoken: Address
  consumer: Address
  /** Seconds since 1970. */
  timestamp: number
}

/** A condition of the index's query. */
type Clause = Record<string, unknown>

/** Returns the orders of the index that meet all conditions, newest first, at most one page. Throws TidegateError. */
export async function indexedOrders(
  { api }: Context,
  filter: readonly Clause[],
  signal?: AbortSignal,
): Promise<IndexedOrder[]> {
  const body = {
    index: 'order',
    from: 0,
    size: LIMITS.orders,
    sort: { timestamp: 'desc' },
    query: { bool: { filter } },
  }
  const [page = []] = listOf(await api.post<unknown>('/api/aquarius/assets/metadata/query', body, signal), 1)
  // the operator chooses between the forms of two front ends
  const rows = Array.isArray(page) ? page : fieldsOf(page).results
  return listOf(rows, LIMITS.orders).map(rowOf)
}

/**
 * Yields the orders that meet all conditions page by page, newest first. Pages are cut between two times, so that new orders
 * move none, and no order of a transaction is on another page.
 */
export async function* indexedPages(
  context: Context,
  filter: readonly Clause[],
  { since, until, signal }: { since?: Date | undefined; until?: Date | undefined; signal?: AbortSignal | undefined },
): AsyncGenerator<IndexedOrder[]> {
  const seconds = (time: Date) => Math.ceil(time.getTime() / 1000)
  const from = since ? { gte: seconds(since) } : {}
  let before = until ? seconds(until) : undefined
  for (;;) {
    const range = { ...from, ...(before === undefined ? {} : { lt: before }) }
    const times = Object.keys(range).length > 0 ? [{ range: { timestamp: range } }] : []
    const page = await indexedOrders(context, [...filter, ...times], signal)
    // a page that is not older than the last one would come again and again
    if (page.some(({ timestamp }) => timestamp >= (before ?? Number.POSITIVE_INFINITY)))
      throw badAnswer('an order of another time')
    if (page.length < LIMITS.orders) return yield page
    const oldest = Math.min(...page.map(({ timestamp }) => timestamp))
    const whole = page.filter(({ timestamp }) => timestamp > oldest)
    if (whole.length === 0)
      throw new TidegateError('TOO_MANY_ORDERS', `More than ${LIMITS.orders} orders have the same time.`)
    yield whole
    before = oldest + 1
  }
}

function rowOf(value: unknown): IndexedOrder {
  const { orderId: tx, chainId, did, datatokenAddress, consumer, timestamp } = fieldsOf(value)
  const [datatoken, receiver] = [addressIn(datatokenAddress), addressIn(consumer)]
  if (typeof tx !== 'string' || !/^0x[0-9a-f]{64}$/.test(tx) || !datatoken || !receiver)
    throw badAnswer('an order without its transaction')
  if (typeof did !== 'string' || (did !== '' && !isDid(did)) || !isCount(chainId) || !isCount(timestamp))
    throw badAnswer('an order without asset, chain or time')
  return { tx: tx as Hex, chainId, did, datatoken, consumer: receiver, timestamp }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const badAnswer = (what: string) => new TidegateError('BAD_ANSWER', `The provider's index lists ${what}.`)
