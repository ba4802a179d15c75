import { ValidationError } from '@tidegate/protocol'
import { CATALOG_LIMITS } from '../../limits.js'
import type { Clause, Field } from '../syntax.js'
import type { Condition } from './condition.js'
import { conditionOf, type Known, textIn } from './conditions.js'

/** Scores are integers internally, so that sums are equal in all databases. */
const { parts: FRACTIONS } = CATALOG_LIMITS.search.weight

/** The score of all hits, and additions for hits that meet a condition, in fractions of a point. */
export interface Score {
  constant: number
  parts: { condition: Condition; points: number }[]
}

/** Returns a score in the unit of the response. */
export function reportedScore(score: number): number {
  return score / FRACTIONS
}

function pointsOf(boost: number, weight = 1): number {
  return Math.round(FRACTIONS * boost * weight)
}

/** Returns the score of a query. Throws ValidationError if it has too many parts. */
export function scoreOf(query: Clause, known: Known): Score {
  let constant = 0
  const parts = new Map<string, Score['parts'][number]>()
  const add = (condition: Condition, points: number, implied: boolean, within: Condition[]) => {
    if (points === 0) return
    if (implied) {
      constant += points
      return
    }
    const part: Condition = { op: 'and', of: [...within, condition] }
    const key = JSON.stringify(part)
    parts.set(key, { condition: part, points: points + (parts.get(key)?.points ?? 0) })
    if (parts.size > CATALOG_LIMITS.search.scoreParts)
      throw ValidationError.of(
        'query',
        `It has more than ${CATALOG_LIMITS.search.scoreParts} parts that count for the score. Move some into "filter".`,
      )
  }
  /** `implied`: whether all hits meet the clause. */
  const walk = (clause: Clause, factor: number, implied: boolean, within: Condition[]): void => {
    const boost = factor * clause.boost
    if (clause.kind === 'text') {
      for (const level of levelsOf(clause.fields)) {
        const more = pointsOf(boost, level.weight) - pointsOf(boost, level.below)
        add(textIn(level.fields, clause.phrase), more, implied && level.isLast, within)
      }
    } else if (clause.kind === 'bool') {
      const { must, filter, should, not, least } = clause
      const loose = must.length + filter.length + not.length === 0 && least <= 1
      const inside = implied || loose ? within : [...within, conditionOf(clause, known)]
      for (const one of must) walk(one, boost, implied, inside)
      for (const one of should) walk(one, boost, implied && least === should.length, inside)
    } else add(conditionOf(clause, known), pointsOf(boost), implied, within)
  }
  walk(query, 1, true, [])
  return { constant, parts: [...parts.values()] }
}

/** Groups fields by weight, the greatest first. Each level includes the fields of earlier levels. */
function levelsOf(fields: Field[]): { weight: number; below: number; fields: Field[]; isLast: boolean }[] {
  const weights = [...new Set(fields.map(({ weight }) => weight))].sort((a, b) => b - a)
  return weights.map((weight, at) => ({
    weight,
    below: weights[at + 1] ?? 0,
    fields: fields.filter((field) => field.weight >= weight),
    isLast: at === weights.length - 1,
  }))
}
