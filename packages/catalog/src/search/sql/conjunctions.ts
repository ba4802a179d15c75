import type { Condition } from './conditions.js'
import { withoutSuperfluous } from './implications.js'
import { TITLES } from './tokens.js'

/** Flattens a conjunction. Drops parts that another part implies. */
export function flat(of: Condition[]): Condition[] {
  return withoutSuperfluous(spread(of), 'and')
}

function spread(of: Condition[]): Condition[] {
  return of.flatMap((one) => (one.op === 'and' || (one.op === 'or' && one.of.length === 1) ? spread(one.of) : [one]))
}

/** Splits the kind off a conjunction, if the rest can be looked up without it. */
export function withoutKind(parts: Condition[]) {
  const kind = parts.find((one) => one.op === 'kind')
  const rest = parts.filter((one) => one !== kind)
  return kind && rest.some((one) => one.op !== 'not') ? { kind, rest } : { kind: undefined, rest: parts }
}

/** Whether the words of names alone decide a condition. */
export function isOfTitle(condition: Condition): boolean {
  switch (condition.op) {
    case 'words':
      return TITLES.has(condition.path) && condition.words.length === 1
    case 'or':
      return condition.of.length > 0 && condition.of.every(isOfTitle)
    case 'and':
      // a negation alone needs tokens that names lack
      return condition.of.some(isOfTitle) && condition.of.every((one) => isOfTitle(one.op === 'not' ? one.of : one))
    default:
      return false
  }
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
