import type { PublicClient } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Order } from '../types.js'
import { feesOf, isUnusable, onlyFile } from './holding.js'
import { initialize } from './initialize.js'

/** Orders that the provider is asked about: the newest, and so many at a time. */
const ASKED = { most: 20, inFlight: 4 }
/** Milliseconds for which an order may be waiting for confirmations. */
const RECENT = 300_000

/** What the provider says of an order. */
interface Verdict {
  isAccepted: boolean
  /** Why not, if that is lasting. */
  refused?: string
  /** The only file that the order opens. */
  file?: number
}

/**
 * Asks the provider which orders it accepts, and adds its reason to those that it refuses, and the file to those that open
 * one alone. Orders that have ended are left as they are, and so are those about which the provider says nothing now.
 */
export async function withVerdicts(context: Context, client: PublicClient, orders: readonly Order[]): Promise<Order[]> {
  const now = Date.now()
  const running = orders.filter(({ expires }) => !expires || expires.getTime() > now).slice(0, ASKED.most)
  const verdicts = new Map<Order, Pick<Order, 'refused' | 'file'>>()
  for (let at = 0; at < running.length; at += ASKED.inFlight)
    await Promise.all(
      running.slice(at, at + ASKED.inFlight).map(async (order) => {
        const { isAccepted: _, ...verdict } = await verdictOf(context, client, order, now)
        verdicts.set(order, verdict)
      }),
    )
  return orders.map((order) => ({ ...order, ...verdicts.get(order) }))
}

/** An order that does not open all files may open one. */
async function verdictOf(context: Context, client: PublicClient, order: Order, now: number): Promise<Verdict> {
  const verdict = await saidOf(context, client, order, now)
  if (verdict.isAccepted) return verdict
  const file = onlyFile(await feesOf(client, { ...order, time: order.started }).catch(() => []))
  return file === undefined ? verdict : { ...(await saidOf(context, client, { ...order, file }, now)), file }
}

async function saidOf(
  context: Context,
  client: PublicClient,
  { did, service, consumer, tx, datatoken, started, file }: Order,
  now: number,
): Promise<Verdict> {
  const refusing = (refused: string) => ({ isAccepted: false, refused })
  try {
    const answer = await initialize(context, { did, service, consumer, file, order: tx })
    if ('validOrder' in answer) return { isAccepted: true }
    if (await isUnusable(client, { tx, datatoken, time: started })) return refusing(UNUSABLE)
    if (Math.abs(now - started.getTime()) < RECENT) return UNKNOWN
    return refusing('The provider does not accept it.')
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error
    const { code, status = 0, message } = error
    if (code === 'CLOCK_WRONG' && (await isUnusable(client, { tx, datatoken, time: started })))
      return refusing(UNUSABLE)
    // a compute order is accepted for its environment, which is not named here
    const isLasting = (status >= 400 && status < 429 && code !== 'VALIDATION') || LASTING.has(code)
    return isLasting ? refusing(message) : UNKNOWN
  }
}

const UNKNOWN: Verdict = { isAccepted: false }

const UNUSABLE = 'Its quote had expired when it was mined, because a clock was wrong. Ask the operator of the provider.'

/** Refusals of an order that are the provider's own fault. A valid order is accepted whatever its clock says. */
const LASTING = new Set(['PROVIDER_KEY_MISSING', 'CLOCK_WRONG'])
