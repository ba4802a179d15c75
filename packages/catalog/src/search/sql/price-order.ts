import type { Script, Value } from '@tidegate/database'
import type { Sort } from '../syntax.js'
import { ask, newest } from './page.js'
import type { Plan } from './plan.js'
import { IS_FIRST_PRICE, priceCheck } from './price-conditions.js'

/** Documents that are looked up one by one. If the page is not full then, all hits are listed first. */
const STEPS = 2048

/** SQL for the free documents, and for those with a token. */
const FREE = 'v.txt IS NULL'
const SOLD = "v.txt > ''"

/**
 * Returns the DIDs of a page of hits, sorted by the first price, in the order of an index: see `priceKeyOf`. `steps`: documents to look up
 * one by one.
 */
export function* byPrice(plan: Plan, { descending, missing }: Sort, steps = STEPS): Script<string[]> {
  const { search, price } = plan
  const end = search.from + search.size
  const priced = price?.isSold ? [SOLD] : descending ? [SOLD, FREE] : [FREE, SOLD]
  const lacking = price ? [] : [undefined]
  const groups = missing === 'first' ? [...lacking, ...priced] : [...priced, ...lacking]
  const dids: string[] = []
  for (const group of groups) {
    const most = end - dids.length
    if (most <= 0) break
    dids.push(
      ...(group === undefined ? yield* without(plan, most) : yield* walked(plan, group, descending, most, steps)),
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
function* walked(plan: Plan, group: string, descending: boolean, most: number, steps: number): Script<string[]> {
  const { dialect, price, checkRest, all } = plan
  const order = (row: string) => `${row}.txt, ${row}.num${descending ? ' DESC' : ''}, ${row}.doc DESC`
  const where = `v.${IS_FIRST_PRICE} AND ${group}${price ? ` AND ${price.text}` : ''}`
  const rows = `SELECT v.doc, v.txt, v.num FROM search_value v WHERE ${where}`
  const values = price?.values ?? []
  const page = function* (text: string, values: Value[]): Script<string[]> {
    const joined = `SELECT d.did FROM (${text} LIMIT ?) AS p JOIN search_document d ON d.id = p.doc ORDER BY ${order('p')}`
    return (yield* ask(joined, [...values, most])).rows.map(({ did }) => did as string)
  }
  const hit = checkRest?.('w.doc')
  if (hit) {
    // SQLite keeps the order of the inner statement. With a second ORDER BY it would look up all documents, then sort
    const again = dialect === 'postgres' ? ` ORDER BY ${order('w')}` : ''
    const text = `SELECT w.doc, w.txt, w.num FROM (${rows} ORDER BY ${order('v')} LIMIT ?) AS w WHERE ${hit.text}${again}`
    const dids = yield* page(text, [...values, steps, ...hit.values])
    if (dids.length === most) return dids
  }
  return yield* page(`${rows} AND v.doc IN (${all.text}) ORDER BY ${order('v')}`, [...values, ...all.values])
}
