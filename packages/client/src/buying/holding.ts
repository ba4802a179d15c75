import type { Served, ServedService } from '@tidegate/protocol/asset'
import { DAY } from '@tidegate/protocol/constants'
import { type Address, decodeEventLog, type Hex, isAddressEqual } from 'viem'
import { EVENTS } from '../chain/abi.js'
import { type Moment, momentOf } from '../chain/moment.js'
import { minedReceipt } from '../chain/receipts.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { ProviderFee } from '../types.js'
import { type FeeRequest, type Initialized, initialize } from './initialize.js'
import { findOrders, findRenewals, type StartedOrder } from './order-logs.js'
import { hadEnded, quotedFile, quoteTime } from './quote-time.js'

/** A consumer's order of a service, or the provider's fee for a new one. */
export interface Standing {
  /** A valid order: nothing is to be paid. */
  order?: Hex
  /** Fee of a new order; undefined with `order`. */
  providerFee?: ProviderFee
  /** Whether the download asks for credentials that were not presented to this client yet. */
  presents?: true
  /** Order with valid access and an expired provider fee: only the fee is due. */
  renews?: Hex
  /** Newest unusable order: its quote had expired when it was mined. */
  unusable?: Hex
}

/** Most orders, and most renewals of each, that the provider checks, newest first. */
const MOST = 3
/** Most orders that are examined, including those for other files. */
const EXAMINED = 20
/** Largest difference between clocks, in milliseconds. */
const SLACK = DAY

/**
 * Returns a valid order of the consumer, or the fee of a new one. The chain lists the orders, and the provider checks them.
 * Throws TidegateError `ORDER_PENDING`, and the provider's reason if it serves the consumer no files.
 */
export async function findOrder(
  context: Context,
  served: Served,
  service: ServedService,
  request: FeeRequest,
  at?: Moment,
): Promise<Standing> {
  const moment = at ?? (await momentOf(context, served.chainId, served.block))
  const { datatoken } = service
  const { consumer } = request
  const { found } = await findOrders(moment, { consumer, datatoken, since: earliest(served, service) })
  let presents = false
  let quoted: Extract<Initialized, { providerFee: unknown }> | undefined
  const credentials = () => (presents ? { presents: true as const } : {})
  const holds = async (order: Hex) => {
    const answer = await tested(context, { ...request, order })
    if (answer && 'providerFee' in answer) quoted = answer
    if (answer) presents = answer.presents
    return isValid(answer)
  }
  /** Whether an order was quoted for one other file. A service with a single file has no other. */
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
    if (await holds(order.tx)) return { order: order.tx, ...credentials() }
    const fees = await feesOf(moment, order)
    if (await isForOther(order, onlyFile(fees))) continue
    asked += 1
    if (isLost(order, fees)) {
      if (isAccessValid(order, service)) unusable ??= order.tx
      continue
    }
    if (request.environment === undefined && isAccessValid(order, service)) pending ??= order
    if (!isFeeExpired(fees)) continue
    for (const renewal of (await findRenewals(moment, order, consumer)).slice(0, MOST))
      if (await holds(renewal)) return { order: renewal, ...credentials() }
    if (renews === undefined && isAccessValid(order, service)) renews = order.tx
  }
  if (pending) assertSeen(pending)
  if (!quoted) {
    const answer = await initialize(context, request)
    presents = answer.presents
    if ('providerFee' in answer) quoted = answer
  }
  return {
    ...(quoted ? { providerFee: quoted.providerFee } : {}),
    ...credentials(),
    ...(renews ? { renews } : {}),
    ...(unusable ? { unusable } : {}),
  }
}

const isValid = (answer: Initialized | undefined) => answer !== undefined && 'validOrder' in answer

/** Asks the provider about an order. Undefined if the order is invalid and there is no quote, as the files are unavailable. */
async function tested(context: Context, request: FeeRequest): Promise<Initialized | undefined> {
  try {
    return await initialize(context, request)
  } catch (error) {
    if (error instanceof TidegateError && error.code === 'FILE_UNAVAILABLE') return undefined
    throw error
  }
}

/** Returns the earliest time of a valid order, whatever the clocks say. */
function earliest({ created }: Served, { timeout }: ServedService): Date | undefined {
  const times = [created?.getTime(), timeout > 0 ? Date.now() - timeout * 1000 : undefined]
  const latest = Math.max(...times.map((time) => time ?? 0))
  return latest > 0 ? new Date(latest - SLACK) : undefined
}

/**
 * Throws TidegateError `ORDER_PENDING` for a refused order of the last minutes: the provider's node may not have seen it
 * yet, or it lacks confirmations. Another order would pay twice.
 */
function assertSeen({ tx, time }: StartedOrder): void {
  if (Math.abs(Date.now() - time.getTime()) > LIMITS.confirming) return
  const message = `The provider does not accept the new order ${tx} yet. Try again in a minute.`
  throw new TidegateError('ORDER_PENDING', message, { transactions: [tx] })
}

function isAccessValid({ time }: StartedOrder, { timeout }: ServedService): boolean {
  return timeout === 0 || time.getTime() + timeout * 1000 > Date.now()
}

/** A paid provider fee: its end and the time of its quote, in seconds since 1970. */
interface PaidFee {
  end: number
  quoted: number | undefined
  /** The only file of the quote. */
  file: number | undefined
}

/** Returns the only file that an order opens; undefined if it opens all files, or if the fees of its transaction differ. */
export function onlyFile(fees: readonly PaidFee[]): number | undefined {
  const [first, ...others] = fees.map(({ file }) => file)
  return others.every((file) => file === first) ? first : undefined
}

/** Reads the provider fees of an order. Throws TidegateError `CHAIN_UNREACHABLE`. */
export async function feesOf(moment: Moment, { tx: hash, datatoken }: OrderLocation): Promise<PaidFee[]> {
  const { logs } = await minedReceipt(moment, hash)
  return logs.flatMap((log) => feeIn(log, datatoken))
}

/** Whether the paid provider fee has expired. */
function isFeeExpired(fees: readonly PaidFee[]): boolean {
  const now = Date.now() / 1000
  return fees.length > 0 && fees.every(({ end }) => end !== 0 && end < now)
}

/** Whether the quote of an order had expired when it was mined. No provider accepts such an order. */
export async function isUnusable(moment: Moment, order: OrderLocation): Promise<boolean> {
  return isLost(order, await feesOf(moment, order))
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
