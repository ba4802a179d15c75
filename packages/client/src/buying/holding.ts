import { type Address, decodeEventLog, type Hex, isAddressEqual, type PublicClient } from 'viem'
import { EVENTS } from '../chain/abi.js'
import type { Served, ServedService } from '../chain/document.js'
import { ask } from '../chain/reads.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { ProviderFee } from '../types.js'
import { type FeeRequest, type Initialized, initialize } from './initialize.js'
import { findOrders, findRenewals, type StartedOrder } from './order-logs.js'
import { hadEnded, quotedFile, quoteTime } from './quote-time.js'

/** What a consumer has of a service already, or what the provider asks for. */
export interface Standing {
  /** A valid order: nothing is to be paid. */
  order?: Hex
  /** The fee for a new order; undefined with `order`. */
  providerFee?: ProviderFee
  /** An order whose access still runs while its provider fee has expired: that alone has to be paid again. */
  renews?: Hex
  /** The newest order that can never be used: its quote had expired when it was mined. */
  unusable?: Hex
}

/** How many orders, and renewals of each, the provider is asked to check, newest first. */
const MOST = 3
/** How many orders are looked at, those for other files included. */
const EXAMINED = 20
/** Milliseconds for which an order may be waiting for confirmations. */
const RECENT = 300_000
/** Milliseconds by which clocks may differ. */
const SLACK = 86_400_000

/**
 * Looks for an order of the consumer that still holds. The chain tells which there are, and the provider which of them it
 * accepts. Throws TidegateError with the provider's reason if it would hand out nothing, `ORDER_PENDING`.
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
    const answer = await tested(context, { ...request, order })
    if (answer && 'providerFee' in answer) providerFee = answer.providerFee
    return isValid(answer)
  }
  /** Whether an order was quoted for one file, and not for those wanted. A service may have one file alone. */
  const isForOther = async ({ tx: order }: StartedOrder, file: number | undefined) =>
    file !== undefined &&
    file !== request.file &&
    (request.file !== undefined || isValid(await tested(context, { ...request, file, order })))
  let renews: Hex | undefined
  let pending: StartedOrder | undefined
  let unusable: Hex | undefined
  let asked = 0
  for (const order of found.filter(({ serviceIndex }) => serviceIndex === service.index).slice(0, EXAMINED)) {
    if (asked === MOST) break
    if (await holds(order.tx)) return { order: order.tx }
    const fees = await feesOf(client, order)
    if (await isForOther(order, onlyFile(fees))) continue
    asked += 1
    if (isLost(order, fees)) {
      if (isAccessValid(order, service)) unusable ??= order.tx
      continue
    }
    if (request.environment === undefined && isAccessValid(order, service)) pending ??= order
    if (!isFeeExpired(fees)) continue
    for (const renewal of (await findRenewals(client, order, consumer)).slice(0, MOST))
      if (await holds(renewal)) return { order: renewal }
    if (renews === undefined && isAccessValid(order, service)) renews = order.tx
  }
  if (pending) assertSeen(pending)
  if (!providerFee) {
    const answer = await initialize(context, request)
    if ('providerFee' in answer) providerFee = answer.providerFee
  }
  return {
    ...(providerFee ? { providerFee } : {}),
    ...(renews ? { renews } : {}),
    ...(unusable ? { unusable } : {}),
  }
}

const isValid = (answer: Initialized | undefined) => answer !== undefined && 'validOrder' in answer

/** Asks about an order; undefined if it does not hold and there is no quote now, as its files are unavailable. */
async function tested(context: Context, request: FeeRequest): Promise<Initialized | undefined> {
  try {
    return await initialize(context, request)
  } catch (error) {
    if (error instanceof TidegateError && error.code === 'FILE_UNAVAILABLE') return undefined
    throw error
  }
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

/** A provider fee that was paid with an order: when it ends and when it was quoted, in seconds since 1970. */
interface PaidFee {
  end: number
  quoted: number | undefined
  /** The only file that it was quoted for. */
  file: number | undefined
}

/** Returns the only file that an order opens; undefined if it opens all, or the fees of its transaction differ. */
export function onlyFile(fees: readonly PaidFee[]): number | undefined {
  const [first, ...others] = fees.map(({ file }) => file)
  return others.every((file) => file === first) ? first : undefined
}

/** Reads the provider fees that were paid with an order. Throws TidegateError `CHAIN_UNREACHABLE`. */
export async function feesOf(client: PublicClient, { tx: hash, datatoken }: OrderLocation): Promise<PaidFee[]> {
  const { logs } = await ask(client.getTransactionReceipt({ hash }))
  return logs.flatMap((log) => feeIn(log, datatoken))
}

/** Whether the provider fee that was paid with an order had an end, which has passed. */
function isFeeExpired(fees: readonly PaidFee[]): boolean {
  const now = Date.now() / 1000
  return fees.length > 0 && fees.every(({ end }) => end !== 0 && end < now)
}

/** Whether the quote of an order had expired when it was mined, so that no provider will ever accept it. */
export async function isUnusable(client: PublicClient, order: OrderLocation): Promise<boolean> {
  return isLost(order, await feesOf(client, order))
}

type OrderLocation = Pick<StartedOrder, 'tx' | 'datatoken' | 'time'>

function isLost({ time }: OrderLocation, fees: readonly PaidFee[]): boolean {
  const mined = time.getTime() / 1000
  return fees.length > 0 && fees.every(({ quoted }) => quoted !== undefined && hadEnded(quoted, mined))
}

function feeIn(log: { address: Address; topics: [] | [Hex, ...Hex[]]; data: Hex }, datatoken: Address): PaidFee[] {
  if (!isAddressEqual(log.address, datatoken)) return []
  try {
    const { eventName, args } = decodeEventLog({ abi: EVENTS, topics: log.topics as [Hex, ...Hex[]], data: log.data })
    if (eventName !== 'ProviderFee') return []
    const { validUntil, providerData } = args
    return [{ end: Number(validUntil), quoted: quoteTime(providerData), file: quotedFile(providerData) }]
  } catch {
    return []
  }
}
