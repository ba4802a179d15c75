import { type Address, decodeEventLog, type Hex, isAddressEqual, type PublicClient } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { ProviderFee } from '../types.js'
import { EVENTS } from './abi.js'
import type { Served, ServedService } from './document.js'
import { type FeeRequest, initialize } from './initialize.js'
import { findOrders, findRenewals, type StartedOrder } from './order-logs.js'
import { ask } from './reads.js'

/** What a consumer has of a service already, or what the provider asks for. */
export interface Standing {
  /** A valid order: nothing is to be paid. */
  order?: Hex
  /** The fee for a new order; undefined with `order`. */
  providerFee?: ProviderFee
  /** An order whose access still runs while its provider fee has expired: that alone has to be paid again. */
  renews?: Hex
}

/** How many orders, and renewals of each, the provider is asked to check, newest first. */
const MOST = 3
/** Milliseconds for which an order may be waiting for confirmations. */
const RECENT = 300_000
/** Milliseconds by which clocks may differ. */
const SLACK = 86_400_000

/**
 * Looks for an order of the consumer that still holds. The chain tells which there are, and the provider which of them it
 * accepts. Throws TidegateError with the provider's reason where it would hand out nothing, `ORDER_PENDING`.
 */
export async function findOrder(
  context: Context,
  served: Served,
  service: ServedService,
  request: FeeRequest,
): Promise<Standing> {
  const client = await context.chain(served.chainId)
  const { datatoken } = service
  const { consumer } = request
  const { found } = await findOrders(client, { consumer, datatoken, since: earliest(served, service) })
  let providerFee: ProviderFee | undefined
  const holds = async (order: Hex) => {
    const answer = await initialize(context, { ...request, order })
    if ('providerFee' in answer) providerFee = answer.providerFee
    return 'validOrder' in answer
  }
  let renews: Hex | undefined
  let pending: StartedOrder | undefined
  for (const order of found.filter(({ serviceIndex }) => serviceIndex === service.index).slice(0, MOST)) {
    if (await holds(order.tx)) return { order: order.tx }
    if (request.environment === undefined && isAccessValid(order, service)) pending ??= order
    if (!(await isFeeExpired(client, order))) continue
    for (const renewal of (await findRenewals(client, order, consumer)).slice(0, MOST))
      if (await holds(renewal)) return { order: renewal }
    if (renews === undefined && isAccessValid(order, service)) renews = order.tx
  }
  if (pending) assertSeen(pending)
  if (!providerFee) {
    const answer = await initialize(context, request)
    if ('providerFee' in answer) providerFee = answer.providerFee
  }
  return { ...(providerFee ? { providerFee } : {}), ...(renews ? { renews } : {}) }
}

/** No order before this time can hold, whatever the clocks say. */
function earliest({ created }: Served, { timeout }: ServedService): Date | undefined {
  const times = [created?.getTime(), timeout > 0 ? Date.now() - timeout * 1000 : undefined]
  const latest = Math.max(...times.map((time) => time ?? 0))
  return latest > 0 ? new Date(latest - SLACK) : undefined
}

/**
 * An order of a moment ago that the provider does not accept is most likely one that its node has not seen, or that lacks
 * confirmations: to order again would be to pay twice. Throws TidegateError `ORDER_PENDING` for it.
 */
function assertSeen({ tx, time }: StartedOrder): void {
  if (Math.abs(Date.now() - time.getTime()) > RECENT) return
  const message = `The provider does not accept the new order ${tx} yet. Try again in a minute.`
  throw new TidegateError('ORDER_PENDING', message, { transactions: [tx] })
}

function isAccessValid({ time }: StartedOrder, { timeout }: ServedService): boolean {
  return timeout === 0 || time.getTime() + timeout * 1000 > Date.now()
}

/** Whether the provider fee that was paid with an order had an end, which has passed. */
async function isFeeExpired(client: PublicClient, { tx: hash, datatoken }: StartedOrder): Promise<boolean> {
  const { logs } = await ask(client.getTransactionReceipt({ hash }))
  const ends = logs.flatMap((log) => feeEnd(log, datatoken))
  const now = Date.now() / 1000
  return ends.length > 0 && ends.every((end) => end !== 0 && end < now)
}

function feeEnd(log: { address: Address; topics: [] | [Hex, ...Hex[]]; data: Hex }, datatoken: Address): number[] {
  if (!isAddressEqual(log.address, datatoken)) return []
  try {
    const { eventName, args } = decodeEventLog({ abi: EVENTS, topics: log.topics as [Hex, ...Hex[]], data: log.data })
    return eventName === 'ProviderFee' ? [Number(args.validUntil)] : []
  } catch {
    return []
  }
}
