import { IS_FIRST_PRICE } from '../conditions/price-conditions.js'
import { pathNumber } from '../conditions/tokens.js'
import { ORDERS } from '../documents/document.js'
import { isPrice, PRICES } from '../prices.js'
import type { Sort } from '../syntax.js'

const ROW = `FROM search_value v WHERE v.doc = found.id AND v.${IS_FIRST_PRICE} AND v.n = 0`

/**
 * Returns the sort key of a price: that of the first offer. Prices of different tokens cannot be compared, so assets are grouped by
 * token. Free assets are first, or last in descending order.
 */
function priceKeyOf({ descending, missing }: Sort, at: number) {
  const direction = descending ? 'DESC' : 'ASC'
  const of = (column: string) => `(SELECT v.${column} ${ROW})`
  const [n, t] = [`n${at}`, `t${at}`]
  return {
    names: [n, t],
    columns: [`${of('num')} AS ${n}`, `${of('txt')} AS ${t}`],
    values: [],
    order: [
      `CASE WHEN ${n} IS NULL THEN ${missing === 'first' ? 0 : 2} ELSE 1 END`,
      `CASE WHEN ${t} IS NULL THEN 0 ELSE 1 END ${direction}`,
      `${t} ASC`,
      `${n} ${direction}`,
    ].join(', '),
  }
}

/** Returns the columns of a sort key and their order: numbers and times before texts. */
export function sortKeyOf(sort: Sort, at: number) {
  const { path, descending, missing } = sort
  if (isPrice(path)) return priceKeyOf(sort, at)
  const direction = descending ? 'DESC' : 'ASC'
  if (path === PRICES.token) {
    const t = `t${at}`
    const order = `CASE WHEN ${t} IS NULL THEN ${missing === 'first' ? 0 : 2} ELSE 1 END, ${t} ${direction}`
    return { names: [t], columns: [`(SELECT v.txt ${ROW}) AS ${t}`], values: [], order }
  }
  if (path === '_score') return { names: [], columns: [], values: [], order: `score ${direction}` }
  const isNumber = path === ORDERS
  // of several values, the first in the order counts
  const pick = descending ? 'max' : 'min'
  const of = (column: string) =>
    `(SELECT ${pick}(${column}) FROM search_value v WHERE v.doc = found.id AND v.path = ?${column === 'txt' ? ' AND v.num IS NULL' : ''})`
  const [n, t] = [`n${at}`, `t${at}`]
  return {
    names: [n, t],
    columns: [`${of('num')} AS ${n}`, `${isNumber ? 'NULL' : of('txt')} AS ${t}`],
    values: isNumber ? [pathNumber(path)] : [pathNumber(path), pathNumber(path)],
    order: [
      `CASE WHEN ${n} IS NULL AND ${t} IS NULL THEN ${missing === 'first' ? 0 : 2} ELSE 1 END`,
      `CASE WHEN ${n} IS NULL THEN 1 ELSE 0 END`,
      `${n} ${direction}`,
      // texts beside a number do not count: databases place NULL differently
      `CASE WHEN ${n} IS NULL THEN ${t} END ${direction}`,
    ].join(', '),
  }
}
