import type { Script } from '@tidegate/database'
import { IS_FIRST_PRICE, priceCheck } from '../conditions/price-conditions.js'
import type { Plan } from '../plan/plan.js'
import type { Sort } from '../syntax.js'
import { didsIn, inOrder, type Ordered, rowsIn, STEPS } from './order-walk.js'
import { newest } from './page.js'

/** SQL for the free documents, and for those with a token. */
const FREE = 'v.txt IS NULL'
const WITH_TOKEN = "v.txt > ''"

/**
 * Returns the DIDs of a page of hits, sorted by the first price, in the order of an index: see `priceKeyOf`. `steps`: see `inOrder`.
 */
export function* byPrice(plan: Plan, { descending, missing }: Sort, steps = STEPS.least): Script<string[]> {
  const { search, price } = plan
  const end = search.from + search.size
  const priced = price?.hasToken ? [WITH_TOKEN] : descending ? [WITH_TOKEN, FREE] : [FREE, WITH_TOKEN]
  const lacking = price ? [] : [undefined]
  const groups = missing === 'first' ? [...lacking, ...priced] : [...priced, ...lacking]
  const dids: string[] = []
  for (const group of groups) {
    const most = end - dids.length
    if (most <= 0) break
    dids.push(
      ...(group === undefined ? yield* without(plan, most) : yield* inGroup(plan, group, descending, most, steps)),
    )
  }
  return dids.slice(search.from)
}

/** Returns the newest hits without a price. */
function* without({ all }: Plan, most: number): Script<string[]> {
  const { text, values } = priceCheck({ text: 'num IS NOT NULL', values: [] }, 'hits.id')
  const list = { text: `SELECT id FROM (${all.text}) AS hits WHERE NOT ${text}`, values: [...all.values, ...values] }
  return (yield* newest(list, most, 0, {})).dids
}

/** Returns the first hits of a group in the order of prices. */
function* inGroup(plan: Plan, group: string, descending: boolean, most: number, steps: number): Script<string[]> {
  const { dialect, price, checkRest, all } = plan
  const rows: Ordered = {
    where: `v.${IS_FIRST_PRICE} AND ${group}${price ? ` AND ${price.text}` : ''}`,
    values: price?.values ?? [],
    columns: ['txt', 'num'],
    order: (row) => `${row}.txt, ${row}.num${descending ? ' DESC' : ''}, ${row}.doc DESC`,
  }
  const isHit = checkRest?.('w.doc')
  const dids = isHit ? yield* inOrder(dialect, rows, isHit, most, steps) : []
  if (dids.length === most) return dids
  // the group is exhausted, or its hits are rare: lists all hits first
  const text = rowsIn(rows, ` AND v.doc IN (${all.text})`)
  return yield* didsIn(text, [...rows.values, ...all.values], rows, most)
}
