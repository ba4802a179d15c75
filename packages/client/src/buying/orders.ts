import { type Address, getAddress } from 'viem'
import { addressOf } from '../auth/signing.js'
import { readDocument, type Served } from '../chain/document.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Order } from '../types.js'
import { fieldsOf, type Json, listOf } from '../values.js'
import { findOrders, type StartedOrder } from './order-logs.js'
import { withVerdicts } from './verdicts.js'

export interface OrdersOptions {
  /** The chain; where the provider serves one alone, that one. */
  chainId?: number
  /** No order before this time is wanted. Nodes that read few blocks at once come further back with less to read. */
  since?: Date
  /** Called if the node would not go back further than this: older orders are not in the list. */
  onIncomplete?: (before: Date) => void
  /** False: the provider is not asked which of them it accepts (`refused`). */
  verdicts?: boolean
}

/** Datatokens in one question to the index. */
const BATCH = 100
/** Most assets in one answer: what the index gives. */
const FOUND = 1_000

/**
 * The orders for an address, the newest first, of assets that this provider sells. The chain's own events tell them: they
 * are read from the newest block backwards, and nodes that limit how far they read give the newest alone (`onIncomplete`).
 * An order that somebody paid for somebody else is the receiver's. Assets that are revoked are left out. Throws
 * TidegateError `NO_WALLET`, `CHAIN_UNREACHABLE`.
 *
 * @example
 * for (const { tx, did, expires } of await tidegate.orders()) console.log(did, tx, expires)
 */
export async function orders(context: Context, address?: Address, options: OrdersOptions = {}): Promise<Order[]> {
  const consumer = address ? getAddress(address) : await addressOf(context)
  const chainId = options.chainId ?? (await onlyChain(context))
  const client = await context.chain(chainId)
  const { found, incompleteBefore } = await findOrders(client, { consumer, since: options.since })
  if (incompleteBefore) options.onIncomplete?.(incompleteBefore)
  const sold = await sellersOf(context, chainId, [...new Set(found.map(({ datatoken }) => datatoken))])
  const listed = found.flatMap((order) => described(order, sold.get(order.datatoken) ?? []))
  return options.verdicts === false ? listed : withVerdicts(context, client, listed)
}

async function onlyChain(context: Context): Promise<number> {
  const { chainIds } = await context.api.get<{ chainIds?: unknown }>('/')
  if (!Array.isArray(chainIds) || chainIds.length === 0)
    throw new TidegateError('BAD_ANSWER', 'The provider does not list its chains.')
  if (chainIds.length === 1) return Number(chainIds[0])
  throw new TidegateError('BAD_REQUEST', `chainId must be one of ${chainIds.join(', ')}.`)
}

/** Which assets sell datatokens, as the index knows. */
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

/** What the index says that is no document is passed over. */
function readable(document: Json): Served | undefined {
  try {
    return readDocument(document, String(document.id))
  } catch {
    return undefined
  }
}

/** An order with the service that it is for. */
function described(order: StartedOrder, sellers: readonly Served[]): Order[] {
  const { tx, datatoken, consumer, payer, serviceIndex, time } = order
  for (const { did, services } of sellers) {
    const service = services.find(({ index, datatoken: own }) => index === serviceIndex && own === datatoken)
    if (!service) continue
    const { timeout } = service
    const expires = timeout > 0 ? { expires: new Date(time.getTime() + timeout * 1000) } : {}
    return [{ tx, did, service: service.id, datatoken, consumer, payer, started: time, ...expires }]
  }
  return []
}
