import type { Dialect } from '@tidegate/database'
import { type Condition, NO_DOCUMENT, type Part, type PriceCondition } from '../conditions/condition.js'
import { conditionOf } from '../conditions/conditions.js'
import { flat, isText } from '../conditions/conjunctions.js'
import { type Generation, scopeOf } from '../conditions/generations.js'
import { withPrice } from '../conditions/price-conditions.js'
import { type Score, scoreOf } from '../conditions/scores.js'
import { Compiler } from '../statement/compile.js'
import type { Scope, Search } from '../syntax.js'

/** Conditions and SQL parts of a search, in one index state. */
export interface Plan {
  search: Search
  dialect: Dialect
  /** Whether hits have scores: not if they are sorted by fields alone. */
  isScored: boolean
  score: Score
  /** Lists all hits as `id`. */
  all: Part
  /** Lists the hits that meet another condition. */
  of(also: Condition): Part
  /** SQL for whether a document is a hit, by its id; undefined if this takes lists of documents. */
  check: ((id: string) => Part) | undefined
  /** The condition on first prices that each hit meets. */
  price: PriceCondition | undefined
  /** SQL for whether a document meets all other conditions; undefined as for `check`. */
  checkRest: Plan['check']
  /** Whether the first price is looked up for each document that meets the rest, instead of a list of all with such prices. */
  pricesOfEach: boolean
  /** Lists the documents that meet the rest, if SQLite looks these up in the full-text index: counted to choose `pricesOfEach`. */
  listRest: Part | undefined
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
  const compiler = new Compiler(dialect, findable, pricesOfEach)
  let inPurgatory: Condition | undefined
  const known = {
    chains,
    // lazy, since the list of purgatory is long and rarely needed
    get inPurgatory() {
      inPurgatory ??= withDids(scope.purgatory, dialect)
      return inPurgatory
    },
  }
  const condition = conditionOf(search.query, known)
  const isScored = search.sort.length === 0 || search.sort.some(({ path }) => path === '_score')
  const score = isScored ? scoreOf(search.query, known) : { constant: 0, parts: [] }
  const of = (also: Condition) => compiler.documents({ op: 'and', of: [condition, also] })
  const all = compiler.documents(condition)
  const check = compiler.check(condition)
  const { priced, rest } = withPrice(flat([condition]))
  const checkRest = compiler.check({ op: 'and', of: rest })
  const isLookedUp = rest.some((one) => one.op !== 'not' && isText(one))
  const mayLookUpPrices = dialect === 'sqlite' && !pricesOfEach && priced !== undefined && isLookedUp
  const listRest = mayLookUpPrices ? compiler.documents({ op: 'and', of: rest }) : undefined
  const plan = { search, dialect, isScored, score, all, of, check }
  return { ...plan, price: priced?.price, checkRest, pricesOfEach, listRest }
}

/** Returns the condition for a list of DIDs. */
function withDids(dids: string[], dialect: Dialect): Condition {
  if (dids.length === 0) return NO_DOCUMENT
  const list =
    dialect === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT json_array_elements_text(CAST(? AS json))'
  return { op: 'listed', text: `SELECT id FROM search_document WHERE did IN (${list})`, values: [JSON.stringify(dids)] }
}
