import type { Condition } from './condition.js'

type Words = Extract<Condition, { op: 'words' }>

/** Most alternatives of conditions that are compared, each with each other. Front ends send some dozens. */
const COMPARED = 256

/** Whether conditions are few enough to be compared on the event loop. */
function areFew(conditions: Condition[]): boolean {
  return alternativesIn({ op: 'or', of: conditions }) <= COMPARED
}

function alternativesIn(condition: Condition): number {
  if (condition.op === 'not') return alternativesIn(condition.of)
  if (condition.op !== 'or' && condition.op !== 'and' && condition.op !== 'least') return 1
  return condition.of.reduce((sum, one) => sum + alternativesIn(one), 1)
}

/**
 * Returns the parts of a conjunction without those that others imply: each part of a score is looked up among the hits, and most
 * are alternatives of the query itself. Of two that imply each other, the first remains.
 */
export function withoutImplied(of: Condition[]): Condition[] {
  if (of.length < 2 || !areFew(of)) return of
  return of.filter(
    (one, at) => !of.some((by, other) => other !== at && implies(by, one) && (other < at || !implies(one, by))),
  )
}

/** Whether each document that meets a condition is known to meet another one. */
function implies(one: Condition, other: Condition): boolean {
  if (one.op === 'or' && one.of.length > 0) return one.of.every((part) => implies(part, other))
  if (other.op === 'and') return other.of.every((part) => implies(one, part))
  if (one.op === 'and' && one.of.some((part) => implies(part, other))) return true
  if (other.op === 'or') return other.of.some((part) => implies(one, part))
  if (one.op === 'words' && other.op === 'words') return areMoreExact(one, other)
  return one.op === 'token' && other.op === 'token' && one.token === other.token
}

/** Whether the same words of the same field are found by a condition, or by its prefix. */
function areMoreExact(one: Words, other: Words): boolean {
  if (one.path !== other.path || one.words.length !== other.words.length || (one.prefix && !other.prefix)) return false
  const last = one.words.length - 1
  return one.words.every((word, at) => {
    const wanted = other.words[at] as string
    return word === wanted || (at === last && other.prefix && word.startsWith(wanted))
  })
}
