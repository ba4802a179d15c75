import { describe, readable, type Served } from '@tidegate/protocol/asset'
import { fieldsOf, listOf } from '@tidegate/protocol/values'
import { type Address, getAddress } from 'viem'
import { addressOf } from '../auth/signing.js'
import { onlyChain } from '../chain/contracts.js'
import { momentOf } from '../chain/moment.js'
import type { Context } from '../context.js'
import { withPayments } from '../sales/order-payments.js'
import type { Order } from '../types.js'
import { findOrders, type StartedOrder } from './order-logs.js'
import { withVerdicts } from './verdicts.js'
import { takenDownOrders } from './withheld-orders.js'

export interface OrdersOptions {
  /** The chain. Default: the only chain of the provider. */
  chainId?: number
  /** Earliest time of an order. With it, nodes that read few blocks at once reach further back. */
  since?: Date
  /** Called if the node does not read further back than `before`: older orders are missing. */
  onIncomplete?: (before: Date) => void
  /** False to skip the provider's verdicts (`refused`). */
  verdicts?: boolean
  /** True to read the payments of each order (`paid`) from its transaction. */
  payments?: boolean
}

/** Datatokens per query of the index. */
const BATCH = 100
/** Most assets of one response: the index's own limit. */
const FOUND = 1_000

/**
 * Returns the orders of an address for this provider's assets, newest first.
 * Reads the chain's events from the newest block backwards. Nodes that limit this return only the newest orders
 * (`onIncomplete`). An order for another consumer belongs to that consumer. Orders of revoked assets are left out; those of
 * assets that the provider has taken down have neither name nor service. Throws
 * TidegateError `NO_WALLET`, `CHAIN_UNREACHABLE`.
 *
 * @example
 * for (const { tx, did, expires } of await tidegate.orders()) console.log(did, tx, expires)
 */
export async function orders(context: Context, address?: Address, options: OrdersOptions = {}): Promise<Order[]> {
  const consumer = address ? getAddress(address) : await addressOf(context)
  const chainId = options.chainId ?? (await onlyChain(context))
  const moment = await momentOf(context, chainId)
  const { found, incompleteBefore } = await findOrders(moment, { consumer, since: options.since })
  if (incompleteBefore) options.onIncomplete?.(incompleteBefore)
  const sold = await sellersOf(context, chainId, [...new Set(found.map(({ datatoken }) => datatoken))])
  const listed = found.flatMap((order) => described(order, sold.get(order.datatoken) ?? []))
  const paid = options.payments ? await withPayments(context, listed) : listed
  const checked = options.verdicts === false ? paid : await withVerdicts(context, moment, paid)
  const unlisted = found.filter(({ datatoken }) => !sold.has(datatoken))
  const withheld = await takenDownOrders(context, { consumer, chainId }, unlisted)
  return [...checked, ...withheld].sort((a, b) => b.started.getTime() - a.started.getTime())
}

/** Returns the indexed assets that sell the datatokens. */
async function sellersOf(
  context: Context,
  chainId: number,
  datatokens: readonly Address[],
): Promise<Map<Address, Served[]>> {
  const sellers = new Map<Address, Served[]>()
  for (let at = 0; at < datatokens.length; at += BATCH) {
    const batch = datatokens.slice(at, at + BATCH)
    const terms = batch.flatMap((datatoken) => [datatoken, datatoken.toLowerCase()])
    const fields = ['services.datatokenAddress', 'credentialSubject.services.datatokenAddress']
    const should = fields.map((field) => ({ terms: { [field]: terms } }))
    const query = { bool: { should, minimum_should_match: 1 } }
    const answer = await context.api.post<unknown>('/api/aquarius/assets/query', { size: FOUND, query })
    for (const hit of listOf(fieldsOf(fieldsOf(answer).hits).hits, FOUND)) {
      const served = readable(fieldsOf(fieldsOf(hit)._source))
      if (served?.chainId !== chainId) continue
      for (const datatoken of new Set(served.services.map((service) => service.datatoken)))
        sellers.set(datatoken, [...(sellers.get(datatoken) ?? []), served])
    }
  }
  return sellers
}

/** Returns an order with its service, once for each asset that has it. */
function described(order: StartedOrder, sellers: readonly Served[]): Order[] {
  const { tx, datatoken, consumer, payer, serviceIndex, time } = order
  for (const served of sellers) {
    const { did, chainId, services } = served
    const service = services.find(({ index, datatoken: own }) => index === serviceIndex && own === datatoken)
    if (!service) continue
    const { timeout } = service
    const expires = timeout > 0 ? { expires: new Date(time.getTime() + timeout * 1000) } : {}
    const { name } = describe(served)
    return [{ tx, chainId, did, name, service: service.id, datatoken, consumer, payer, started: time, ...expires }]
  }
  return []
}
