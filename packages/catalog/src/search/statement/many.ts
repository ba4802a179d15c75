import type { Condition } from '../conditions/condition.js'
import { isText } from '../conditions/conjunctions.js'

/** Maximum look-ups per full-text query: the time that PostgreSQL takes for one query grows with their square. */
const TOGETHER = 32

/**
 * Returns a condition for PostgreSQL in which many alternatives are a list: documents that meet any of several shorter queries. `textOf`
 * returns the full-text query of a condition.
 */
export function manyListed(condition: Condition, textOf: (condition: Condition) => string): Condition {
  switch (condition.op) {
    case 'not':
      return { op: 'not', of: manyListed(condition.of, textOf) }
    case 'and':
      return { op: 'and', of: excludedTogether(condition.of).map((one) => manyListed(one, textOf)) }
    case 'least':
      return { ...condition, of: condition.of.map((one) => manyListed(one, textOf)) }
    case 'or': {
      if (lookUpsOf(condition) <= TOGETHER) return condition
      const parts = alternatives(condition.of).map((one) => manyListed(one, textOf))
      return { op: 'or', of: [...listed(parts.filter(isText), textOf), ...parts.filter((one) => !isText(one))] }
    }
    default:
      return condition
  }
}

/** Merges many negations of a conjunction into one list, since PostgreSQL plans many lists slowly. */
function excludedTogether(of: Condition[]): Condition[] {
  const any: Condition = { op: 'or', of: of.flatMap((one) => (one.op === 'not' ? [one.of] : [])) }
  if (any.of.length < 2 || lookUpsOf(any) <= TOGETHER) return of
  return [...of.filter((one) => one.op !== 'not'), { op: 'not', of: any }]
}

function alternatives(of: Condition[]): Condition[] {
  return of.flatMap((one) => (one.op === 'or' ? alternatives(one.of) : [one]))
}

/** Returns full-text conditions as one list of the documents that meet any of them. */
function listed(conditions: Condition[], textOf: (condition: Condition) => string): Condition[] {
  const queries: string[] = []
  let [some, count]: [Condition[], number] = [[], 0]
  for (const one of conditions) {
    const more = lookUpsOf(one)
    if (count > 0 && count + more > TOGETHER) {
      queries.push(textOf({ op: 'or', of: some }))
      ;[some, count] = [[], 0]
    }
    some.push(one)
    count += more
  }
  if (queries.length === 0) return some
  queries.push(textOf({ op: 'or', of: some }))
  // tokens contain no quotes
  const value = `{${queries.map((query) => `"${query}"`).join(',')}}`
  // OFFSET 0: each query is looked up in the index; for a few hits the planner would compare the words of every document with all of them
  const text = `SELECT DISTINCT found.id FROM unnest(CAST(? AS tsquery[])) AS part (query)
    CROSS JOIN LATERAL (SELECT t.id FROM search_text t WHERE t.tsv @@ part.query OFFSET 0) AS found`
  return [{ op: 'listed', text, values: [value] }]
}

/** Returns the number of look-ups of a condition in the full-text index. */
function lookUpsOf(condition: Condition): number {
  switch (condition.op) {
    case 'words':
      return condition.words.length
    case 'not':
      return lookUpsOf(condition.of)
    case 'and':
    case 'or':
      return condition.of.reduce((sum, one) => sum + lookUpsOf(one), 0)
    default:
      return 1
  }
}
