import { FIRST_MILLISECONDS, SECONDS } from '@tidegate/protocol/constants'
import { fieldsOf, type Json } from '@tidegate/protocol/values'
import { type Hex, hexToString } from 'viem'
import type { Moment } from '../chain/moment.js'
import { TidegateError } from '../errors.js'
import type { ProviderFee } from '../types.js'

/** Validity of a quote in seconds, by the time of the order's block. */
const LIFETIME = SECONDS.day
/** Tolerated difference between the times of quote and chain, in seconds. */
const TOLERANCE = 600

/** Returns the time of a quote in seconds since 1970; undefined if it has none. */
export function quoteTime(providerData: Hex): number | undefined {
  const { timestamp } = dataIn(providerData)
  if (typeof timestamp !== 'number' || !Number.isFinite(timestamp)) return undefined
  return timestamp < FIRST_MILLISECONDS ? timestamp : timestamp / 1000
}

/** Returns the only file that an order with this quote opens; undefined if it opens all files of the service. */
export function quotedFile(providerData: Hex): number | undefined {
  const { fileIndex } = dataIn(providerData)
  return Number.isSafeInteger(fileIndex) ? (fileIndex as number) : undefined
}

function dataIn(providerData: Hex): Json {
  try {
    return fieldsOf(JSON.parse(hexToString(providerData)))
  } catch {
    return {}
  }
}

/** Whether a quote had expired when its order was mined; both in seconds since 1970. Such an order can never be used. */
export function hadEnded(quoted: number, mined: number): boolean {
  return mined > quoted + LIFETIME
}

/**
 * Throws TidegateError `QUOTE_TIME_WRONG` if the time of a quote is far from the time of the chain: the provider checks an
 * order by the time of its block. If the newest block is old, as on a chain that mines rarely, this machine's clock decides.
 */
export async function assertTimely(moment: Moment, { providerData }: ProviderFee): Promise<void> {
  const quoted = quoteTime(providerData)
  if (quoted === undefined) return
  const head = (await moment.header()).timestamp
  const ahead = quoted - head
  if (Math.abs(ahead) <= TOLERANCE) return
  if (ahead > 0 && Math.abs(quoted - Date.now() / 1000) <= TOLERANCE) return
  const away = `${Math.round(Math.abs(ahead) / 60)} minutes ${ahead < 0 ? 'before' : 'after'}`
  throw new TidegateError(
    'QUOTE_TIME_WRONG',
    `The quote is dated ${away} the newest block, so that an order could not be used: the provider's clock is wrong, or that of this machine. Nothing was paid.`,
  )
}
