import type { Condition } from './conditions.js'

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

/** Returns conditions without those that are superfluous beside another one. Of two that imply each other, the first remains. */
export function withoutSuperfluous(of: Condition[], beside: 'and' | 'or'): Condition[] {
  if (of.length < 2 || !areFew(of)) return of
  const isImplied = (one: Condition, by: Condition) => (beside === 'and' ? implies(by, one) : implies(one, by))
  return of.filter(
    (one, at) => !of.some((by, other) => other !== at && isImplied(one, by) && (other < at || !isImplied(by, one))),
  )
}

/** Whether each document that meets a condition is known to meet another one. */
export function implies(one: Condition, other: Condition): boolean {
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

/**
 * Returns the combinations of conditions that a document can meet, each as the shortest conjunction. `met`: whether each condition is met.
 * Undefined if there are more than `most`.
 */
export function combinationsOf(conditions: Condition[], most: number) {
  if (!areFew(conditions)) return undefined
  const implied = conditions.map((one) => conditions.map((other) => one !== other && implies(one, other)))
  let found: boolean[][] = [[]]
  for (const at of conditions.keys()) {
    found = found
      .flatMap((met) => [
        [...met, false],
        [...met, true],
      ])
      .filter((met) => isPossible(met, implied, at))
    if (found.length > most) return undefined
  }
  return found.map((met) => ({ met, condition: shortest(conditions, met, implied) }))
}

/** Whether the last of some conditions agrees with the earlier ones. */
function isPossible(met: boolean[], implied: boolean[][], last: number): boolean {
  return met.every((isMet, at) => {
    const [forth, back] = [implied[at]?.[last], implied[last]?.[at]]
    return !(forth && isMet && !met[last]) && !(back && met[last] && !isMet)
  })
}

function shortest(conditions: Condition[], met: boolean[], implied: boolean[][]): Condition {
  const of = conditions.flatMap((condition, at): Condition[] => {
    // of two equal ones, the first remains
    const isImplied = conditions.some((_, by) => {
      const [needed, given] = met[at] ? [at, by] : [by, at]
      if (met[by] !== met[at] || !implied[given]?.[needed]) return false
      return !implied[needed]?.[given] || by < at
    })
    if (isImplied) return []
    return [met[at] ? condition : { op: 'not', of: condition }]
  })
  return { op: 'and', of }
}
