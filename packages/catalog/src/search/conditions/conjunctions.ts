import type { Condition } from './condition.js'
import { withoutImplied } from './implications.js'

/** Returns the parts of a conjunction, without nested conjunctions, alternatives of one, and parts that others imply. */
export function flat(of: Condition[]): Condition[] {
  return withoutImplied(spread(of))
}

function spread(of: Condition[]): Condition[] {
  return of.flatMap((one) => (one.op === 'and' || (one.op === 'or' && one.of.length === 1) ? spread(one.of) : [one]))
}

/** Whether the full-text index alone can answer a condition. */
export function isText(condition: Condition): boolean {
  switch (condition.op) {
    case 'listed':
    case 'least':
      return false
    case 'and':
    case 'or':
      return condition.of.every(isText)
    case 'not':
      return isText(condition.of)
    default:
      return true
  }
}

/** Whether a condition has words that are prefixes. */
export function hasPrefix(condition: Condition): boolean {
  if (condition.op === 'not') return hasPrefix(condition.of)
  if (condition.op === 'and' || condition.op === 'or' || condition.op === 'least') return condition.of.some(hasPrefix)
  return condition.op === 'words' && condition.prefix
}

/** Returns the alternatives that a conjunction excludes; undefined if it has other parts. */
export function onlyExcluded(parts: Condition[]): Extract<Condition, { op: 'or' }> | undefined {
  const of = parts.flatMap((one) => (one.op === 'not' ? [one.of] : []))
  return of.length === parts.length ? { op: 'or', of } : undefined
}
