import type { Moment } from '../chain/moment.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Order } from '../types.js'
import { feesOf, isUnusable, onlyFile } from './holding.js'
import { initialize } from './initialize.js'

/** Most orders that the provider checks, newest first, and the number of concurrent checks. */
const ASKED = { most: 20, inFlight: 4 }

/** The provider's verdict on an order. */
interface Verdict {
  isAccepted: boolean
  /** The reason of a lasting refusal. */
  refused?: string
  /** The only file that the order opens. */
  file?: number
}

/**
 * Adds the provider's verdict to each order: the reason of a refusal, and the file of an order for one file. Expired orders
 * stay without one, and so does an order that the provider cannot check now.
 */
export async function withVerdicts(context: Context, moment: Moment, orders: readonly Order[]): Promise<Order[]> {
  const now = Date.now()
  const running = orders.filter(({ expires }) => !expires || expires.getTime() > now).slice(0, ASKED.most)
  const verdicts = new Map<Order, Pick<Order, 'refused' | 'file'>>()
  for (let at = 0; at < running.length; at += ASKED.inFlight)
    await Promise.all(
      running.slice(at, at + ASKED.inFlight).map(async (order) => {
        const { isAccepted: _, ...verdict } = await verdictOf(context, moment, order, now)
        verdicts.set(order, verdict)
      }),
    )
  return orders.map((order) => ({ ...order, ...verdicts.get(order) }))
}

/** Returns the verdict on an order. An order that does not open all files may open one. */
async function verdictOf(context: Context, moment: Moment, order: Order, now: number): Promise<Verdict> {
  const verdict = await saidOf(context, moment, order, now)
  if (verdict.isAccepted) return verdict
  const file = onlyFile(await feesOf(moment, { ...order, time: order.started }).catch(() => []))
  return file === undefined ? verdict : { ...(await saidOf(context, moment, { ...order, file }, now)), file }
}

async function saidOf(
  context: Context,
  moment: Moment,
  { did, service, consumer, tx, datatoken, started, file }: Order,
  now: number,
): Promise<Verdict> {
  const refusing = (refused: string) => ({ isAccepted: false, refused })
  try {
    const answer = await initialize(context, { did, service, consumer, file, order: tx })
    if ('validOrder' in answer) return { isAccepted: true }
    if (await isUnusable(moment, { tx, datatoken, time: started })) return refusing(UNUSABLE)
    if (Math.abs(now - started.getTime()) < LIMITS.confirming) return UNKNOWN
    return refusing('The provider does not accept it.')
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error
    const { code, status = 0, message } = error
    if (code === 'CLOCK_WRONG' && (await isUnusable(moment, { tx, datatoken, time: started })))
      return refusing(UNUSABLE)
    // the provider accepts a compute order only with its environment, which is unknown here
    const isLasting = (status >= 400 && status < 429 && code !== 'VALIDATION') || LASTING.has(code)
    return isLasting ? refusing(message) : UNKNOWN
  }
}

const UNKNOWN: Verdict = { isAccepted: false }

const UNUSABLE = 'Its quote had expired when it was mined, because a clock was wrong. Ask the operator of the provider.'

/** Lasting refusals that are the provider's own fault. */
const LASTING = new Set(['PROVIDER_KEY_MISSING', 'CLOCK_WRONG'])
