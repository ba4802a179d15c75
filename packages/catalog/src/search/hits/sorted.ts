import type { Script } from '@tidegate/database'
import { CATALOG_LIMITS } from '../../limits.js'
import type { Condition } from '../conditions/condition.js'
import { existsToken, pathNumber } from '../conditions/tokens.js'
import type { Plan } from '../plan/plan.js'
import { isPrice, PRICES } from '../prices.js'
import type { Sort } from '../syntax.js'
import { byName, isName } from './name-order.js'
import { inOrder, type Ordered, STEPS } from './order-walk.js'
import { byKeys, counted, newest } from './page.js'
import { byPrice } from './price-order.js'

/** Most hits whose sort keys are read one by one. Of more, an index gives the first ones. */
const FEW: number = CATALOG_LIMITS.search.counted

/**
 * Returns the DIDs of a page without sorting all hits by their one field: few of them have the field, or an index has them in its order.
 * Undefined if all keys must be read. For many hits, or in the order of prices. `steps`: see `inOrder`.
 */
export function* sorted(plan: Plan, few = FEW, steps: number = STEPS.least): Script<string[] | undefined> {
  const { search } = plan
  const sort = fieldOf(search.sort)
  // no index has the order of tokens
  if (!sort || sort.path === PRICES.token) return undefined
  if (isPrice(sort.path)) return yield* byPrice(plan, sort, steps)
  if (isName(sort.path)) return yield* byName(plan, sort, few, steps)
  const [from, end] = [search.from, search.from + search.size]
  const exists: Condition = { op: 'token', token: existsToken(sort.path) }
  const having = plan.of(exists)
  const isRare = (yield* counted(having, few)) <= few
  const have = (most: number) => (isRare ? byKeys(plan, having, most) : walked(plan, sort, most, steps))
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

/** Returns the first hits with a number, in the order of the index. */
function* walked({ check, dialect }: Plan, { path, descending }: Sort, size: number, steps: number) {
  // of equal numbers the newest comes first: ascending, all of them are looked up, and only dates are rarely equal
  const isHit = check?.('w.doc')
  if (!isHit || (path !== 'nft.created' && !descending)) return undefined
  const [direction, pick] = descending ? ['DESC', 'max'] : ['ASC', 'min']
  const own = 'FROM search_value o WHERE o.doc = w.doc AND o.path = w.path'
  // of several values the first one counts. The sum keeps SQLite from the index of numbers
  const isFirst = `w.num = (SELECT ${pick}(o.num) ${own}) AND w.n = (SELECT min(o.n) ${own} AND o.num + 0 = w.num)`
  const rows: Ordered = {
    where: 'v.path = ? AND v.num IS NOT NULL',
    values: [pathNumber(path)],
    columns: ['num'],
    order: (row) => `${row}.num ${direction}, ${row}.doc DESC`,
  }
  return yield* inOrder(dialect, rows, { ...isHit, text: `${isFirst} AND ${isHit.text}` }, size, steps)
}
