import { checksummed } from '@tidegate/protocol'
import { isAddress } from 'viem'
import { PRICE_PATHS } from '../prices.js'
import type { Condition, Part, PriceCondition } from './condition.js'

/**
 * SQL for rows of first prices. The path is part of the text: a database uses a partial index only for a constant. It begins with the
 * column, so that an alias can stand before it.
 */
export const IS_FIRST_PRICE = `path = ${PRICE_PATHS.first}`

/** Returns the condition for documents whose first price meets SQL. A document has one such row. */
export function firstPrice({ text, values }: Part, hasToken = false): Priced {
  const list = `SELECT doc AS id FROM search_value WHERE ${IS_FIRST_PRICE} AND ${text}`
  return { op: 'listed', text: list, values, price: { text, values, hasToken } }
}

/** Returns the condition for tokens of first prices; undefined if none of the values is an address. */
export function pricedInTokens(values: string[]): Condition | undefined {
  const tokens = values.flatMap((value) => (isAddress(value, { strict: false }) ? [checksummed(value)] : []))
  if (tokens.length === 0) return undefined
  const text = tokens.length === 1 ? 'txt = ?' : `txt IN (${tokens.map(() => '?').join(', ')})`
  return firstPrice({ text, values: tokens }, true)
}

type Listed = Extract<Condition, { op: 'listed' }>
type Priced = Listed & { price: PriceCondition }

const isPriced = (condition: Condition): condition is Priced =>
  condition.op === 'listed' && condition.price !== undefined

/** Merges the conditions on first prices of a conjunction into one, which an index answers. Returns it, and the others. */
export function withPrice(parts: Condition[]): { priced: Priced | undefined; rest: Condition[] } {
  const prices = parts.filter(isPriced).map(({ price }) => price)
  const rest = parts.filter((part) => !isPriced(part))
  if (prices.length === 0) return { priced: undefined, rest }
  const text = prices.map((one) => one.text).join(' AND ')
  const values = prices.flatMap((one) => one.values)
  const hasToken = prices.some((one) => one.hasToken)
  return { priced: firstPrice({ text, values }, hasToken), rest }
}

/** Returns SQL for whether the first price of a document meets a condition, by its id. */
export function priceCheck({ text, values }: Part, id: string): Part {
  const row = `SELECT 1 FROM search_value p WHERE p.doc = ${id} AND p.${IS_FIRST_PRICE} AND p.n = 0`
  return { text: `EXISTS (${row} AND ${text})`, values }
}
