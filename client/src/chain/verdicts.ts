import type { PublicClient } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Order } from '../types.js'
import { isUnusable } from './holding.js'
import { initialize } from './initialize.js'

/** Orders that the provider is asked about: the newest, and so many at a time. */
const ASKED = { most: 20, inFlight: 4 }
/** Milliseconds for which an order may be waiting for confirmations. */
const RECENT = 300_000

/**
 * Asks the provider which orders it accepts, and adds its reason to those that it refuses. Orders that have ended are left
 * as they are, and so are those about which the provider says nothing now.
 */
export async function withVerdicts(context: Context, client: PublicClient, orders: readonly Order[]): Promise<Order[]> {
  const now = Date.now()
  const running = orders.filter(({ expires }) => !expires || expires.getTime() > now).slice(0, ASKED.most)
  const refusals = new Map<Order, string>()
  for (let at = 0; at < running.length; at += ASKED.inFlight)
    await Promise.all(
      running.slice(at, at + ASKED.inFlight).map(async (order) => {
        const reason = await refusalOf(context, client, order, now)
        if (reason !== undefined) refusals.set(order, reason)
      }),
    )
  return orders.map((order) => {
    const refused = refusals.get(order)
    return refused === undefined ? order : { ...order, refused }
  })
}

async function refusalOf(
  context: Context,
  client: PublicClient,
  { did, service, consumer, tx, datatoken, started }: Order,
  now: number,
): Promise<string | undefined> {
  try {
    const answer = await initialize(context, { did, service, consumer, order: tx })
    if ('validOrder' in answer) return undefined
    if (await isUnusable(client, { tx, datatoken, time: started })) return UNUSABLE
    if (Math.abs(now - started.getTime()) < RECENT) return undefined
    return 'The provider does not accept it.'
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error
    const { code, status = 0, message } = error
    if (code === 'CLOCK_WRONG' && (await isUnusable(client, { tx, datatoken, time: started }))) return UNUSABLE
    // a compute order is accepted for its environment, which is not named here
    const isLasting = (status >= 400 && status < 429 && code !== 'VALIDATION') || LASTING.has(code)
    return isLasting ? message : undefined
  }
}

const UNUSABLE = 'Its quote had ended when it was mined, as a clock was wrong. Only the provider can help.'

/** Refusals of an order that are the provider's own fault. A valid order is accepted whatever its clock says. */
const LASTING = new Set(['PROVIDER_KEY_MISSING', 'CLOCK_WRONG'])
