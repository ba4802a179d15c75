import type { Dialect } from '@tidegate/database'
import type { Scope, Search } from '../syntax.js'
import { Compiler, type Part } from './compile.js'
import { type Condition, conditionOf, NO_DOCUMENT } from './conditions.js'
import { flat, isText } from './conjunctions.js'
import { type Generation, scopeOf } from './generations.js'
import { type PriceCondition, withPrice } from './price-conditions.js'
import { type Score, scoreOf } from './scores.js'

/** The statements of a search in one index state. */
export interface Plan {
  search: Search
  dialect: Dialect
  /** Whether hits have scores: not if they are sorted by fields alone. */
  isScored: boolean
  score: Score
  /** Lists all hits as `id`. */
  all: Part
  /** Lists the hits that meet another condition. */
  of(part: Condition): Part
  /** SQL for whether a document is a hit, by its id; undefined if this takes lists of documents. */
  check: ((id: string) => Part) | undefined
  /** The condition on first prices that each hit meets, and SQL for whether a document meets the rest. */
  price: PriceCondition | undefined
  checkRest: Plan['check']
  /** Lists the documents that meet all conditions but that on prices, if SQLite finds them by words. */
  unpriced: Part | undefined
  /** The plan that looks up the price of each of these; undefined for that plan. */
  byLookUp: (() => Plan) | undefined
  /** Like `of`, by the words of names; undefined if these do not narrow the condition. */
  inTitles(part: Condition): Part | undefined
}

/** Plans a search. Throws ValidationError if it is too expensive. */
export function planOf(
  search: Search,
  scope: Scope,
  dialect: Dialect,
  generations: Generation[],
  pricesOfEach = false,
): Plan {
  const { chains, ...findable } = scopeOf(generations, scope)
  const older = generations.some((one) => one.older)
  const compiler = new Compiler(dialect, { ...findable, older }, pricesOfEach)
  let listed: Condition | undefined
  const known = {
    chains,
    // lazy, since the list is long and rarely needed
    get listed() {
      listed ??= listedIn(scope.purgatory, dialect)
      return listed
    },
  }
  const condition = conditionOf(search.query, known)
  const isScored = search.sort.length === 0 || search.sort.some(({ path }) => path === '_score')
  const score = isScored ? scoreOf(search.query, known) : { constant: 0, parts: [] }
  const of = (part: Condition) => compiler.documents({ op: 'and', of: [condition, part] })
  const inTitles = (part: Condition) => compiler.inTitles({ op: 'and', of: [condition, part] })
  const all = compiler.documents(condition)
  const check = compiler.check(condition)
  const { priced, rest } = withPrice(flat([condition]))
  const checkRest = compiler.check({ op: 'and', of: rest })
  const isByWords = rest.some((one) => one.op !== 'not' && isText(one))
  const unpriced = priced && isByWords && dialect === 'sqlite' ? compiler.documents({ op: 'and', of: rest }) : undefined
  const byLookUp = pricesOfEach ? undefined : () => planOf(search, scope, dialect, generations, true)
  const plan = { search, dialect, isScored, score, all, of, check, inTitles }
  return { ...plan, price: priced?.price, checkRest, unpriced, byLookUp }
}

/** Returns the condition for a list of DIDs. */
function listedIn(dids: string[], dialect: Dialect): Condition {
  if (dids.length === 0) return NO_DOCUMENT
  const list =
    dialect === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT json_array_elements_text(CAST(? AS json))'
  return { op: 'listed', text: `SELECT id FROM search_document WHERE did IN (${list})`, values: [JSON.stringify(dids)] }
}
