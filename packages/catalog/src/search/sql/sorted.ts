import type { Script } from '@tidegate/database'
import { CATALOG_LIMITS } from '../../limits.js'
import { isPrice, PRICES } from '../prices.js'
import type { Sort } from '../syntax.js'
import type { Part } from './compile.js'
import type { Condition } from './conditions.js'
import { byName, isName } from './name-order.js'
import { STEPS } from './order-walk.js'
import { ask, counted, newest, page } from './page.js'
import type { Plan } from './plan.js'
import { byPrice } from './price-order.js'
import { existsToken, pathNumber } from './tokens.js'

/** Most hits whose sort keys are read one by one. Of more, the index of numbers gives the first ones. */
const FEW: number = CATALOG_LIMITS.search.counted

/**
 * Returns the DIDs of a page of many hits, sorted by one field: few of them have the field, or an index has them in its order. Undefined if
 * all keys must be read. `steps`: see `walked` in order-walk.ts.
 */
export function* sorted(plan: Plan, few = FEW, steps: number = STEPS.least): Script<string[] | undefined> {
  const { search } = plan
  const sort = fieldOf(search.sort)
  // no index has the order of tokens
  if (!sort || sort.path === PRICES.token || plan.score.parts.length > 0) return undefined
  if (isPrice(sort.path)) return yield* byPrice(plan, sort, steps)
  if (isName(sort.path)) return yield* byName(plan, sort, few, steps)
  const [from, end] = [search.from, search.from + search.size]
  const exists: Condition = { op: 'token', token: existsToken(sort.path) }
  const having = plan.of(exists)
  const isRare = (yield* counted(having, few)) <= few
  const have = (most: number) => (isRare ? rare(plan, having, most) : walked(plan, sort, most))
  const lack = function* (most: number): Script<string[]> {
    return (yield* newest(plan.of({ op: 'not', of: exists }), most, 0, {})).dids
  }
  const dids: string[] = sort.missing === 'first' ? yield* lack(end) : []
  if (dids.length < end) {
    const most = end - dids.length
    const more = yield* have(most)
    // texts come after numbers, and no index has the order of those
    if (!more || (!isRare && more.length < most)) return undefined
    dids.push(...more)
  }
  if (dids.length < end && sort.missing === 'last') dids.push(...(yield* lack(end - dids.length)))
  return dids.slice(from)
}

/** Returns the only sort key. The date adds nothing, by which equal keys are sorted in any case. */
function fieldOf([sort, ...others]: Sort[]): Sort | undefined {
  if (!sort || sort.path === '_score') return undefined
  return others.every(({ path, descending }) => path === 'nft.created' && descending) ? sort : undefined
}

function* rare(plan: Plan, having: Part, size: number): Script<string[]> {
  const search = { ...plan.search, from: 0, size }
  return (yield* page(search, having, plan.score, undefined, { isFew: true })).hits.map(({ did }) => did)
}

/** Returns the first hits with a number, in the order of the index. Each is looked up in the full-text index. */
function* walked({ check }: Plan, { path, descending }: Sort, size: number): Script<string[] | undefined> {
  // of equal numbers the newest comes first: ascending, all of them are looked up, and only dates are rarely equal
  const isHit = check?.('v.doc')
  if (!isHit || (path !== 'nft.created' && !descending)) return undefined
  const [direction, pick] = descending ? ['DESC', 'max'] : ['ASC', 'min']
  const own = 'FROM search_value o WHERE o.doc = v.doc AND o.path = v.path'
  // of several values the first one counts. The sum keeps SQLite from the index of numbers
  const isFirst = `v.num = (SELECT ${pick}(o.num) ${own}) AND v.n = (SELECT min(o.n) ${own} AND o.num + 0 = v.num)`
  const text = `SELECT d.did FROM (
      SELECT v.doc AS id, v.num FROM search_value v WHERE v.path = ? AND v.num IS NOT NULL AND ${isFirst} AND ${isHit.text}
      ORDER BY v.num ${direction}, v.doc DESC LIMIT ?
    ) AS p JOIN search_document d ON d.id = p.id ORDER BY p.num ${direction}, p.id DESC`
  const { rows } = yield* ask(text, [pathNumber(path), ...isHit.values, size])
  return rows.map(({ did }) => did as string)
}
