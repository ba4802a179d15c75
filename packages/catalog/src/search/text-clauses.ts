import { CATALOG_LIMITS } from '../limits.js'
import { bool, boosted, eachWord, NOTHING, phrase } from './clauses.js'
import { boostOf, fieldOf } from './query-parts.js'
import { parseQueryString } from './query-string.js'
import { type Body, leastOf, type Reading, unsupported, withoutKeyword } from './reading.js'
import type { Clause, Field } from './syntax.js'
import { phraseOf } from './words.js'

const LIMITS = CATALOG_LIMITS.search

/** Options that are accepted without effect. */
const IDLE = ['lenient', 'analyze_wildcard', 'allow_leading_wildcard', 'zero_terms_query', 'phrase_slop']

export function match(value: unknown, reading: Reading): Clause {
  const { path, exact, body } = fieldOf(value, 'match', 'query', reading)
  reading.only(body, 'match', ['query', 'operator', 'minimum_should_match', 'boost', ...IDLE])
  const text = reading.text(body.query, 'match.query')
  const boost = boostOf(body, 'match', reading)
  if (exact) return { kind: 'values', path, values: [text], exact, boost }
  return boosted(wordsIn([{ path, weight: 1 }], text, body, 'match', reading), boost)
}

function wordsIn(fields: Field[], text: string, body: Body, of: string, reading: Reading): Clause {
  const operator = operatorOf(body.operator, of, reading)
  const each = eachWord(fields, text, reading)
  if (each.length === 0) return NOTHING
  if (each.length === 1) return each[0] as Clause
  if (operator === 'and') return bool({ must: each })
  const rule = body.minimum_should_match
  return bool({ should: each, ...(rule === undefined ? {} : { least: leastOf(rule, each.length, reading) }) })
}

function operatorOf(value: unknown, of: string, reading: Reading): 'and' | 'or' {
  return value === undefined ? 'or' : reading.choice(value, `${of}.operator`, ['and', 'or'])
}

export function matchPhrase(value: unknown, reading: Reading): Clause {
  const { path, exact, body } = fieldOf(value, 'match_phrase', 'query', reading)
  reading.only(body, 'match_phrase', ['query', 'boost'])
  const text = reading.text(body.query, 'match_phrase.query')
  const boost = boostOf(body, 'match_phrase', reading)
  if (exact) return { kind: 'values', path, values: [text], exact, boost }
  return boosted(phraseIn([{ path, weight: 1 }], text, reading), boost)
}

function phraseIn(fields: Field[], text: string, reading: Reading): Clause {
  const found = phraseOf(text)
  return found ? phrase(fields, found, reading) : NOTHING
}

const TYPES = ['best_fields', 'most_fields', 'cross_fields', 'phrase'] as const

export function multiMatch(value: unknown, reading: Reading): Clause {
  const body = reading.object(value, 'multi_match')
  reading.only(body, 'multi_match', ['query', 'fields', 'type', 'operator', 'minimum_should_match', 'boost', ...IDLE])
  const text = reading.text(body.query, 'multi_match.query')
  const fields = fieldsOf(body.fields, 'multi_match.fields', reading)
  const type = body.type === undefined ? 'best_fields' : reading.choice(body.type, 'multi_match.type', TYPES)
  const clause =
    type === 'phrase' ? phraseIn(fields, text, reading) : wordsIn(fields, text, body, 'multi_match', reading)
  return boosted(clause, boostOf(body, 'multi_match', reading))
}

/** Fields with weights, such as `metadata.name^10`; all fields if there are none, or one is `*`. */
function fieldsOf(value: unknown, of: string, reading: Reading): Field[] {
  const names =
    value === undefined ? ['*'] : typeof value === 'string' ? [value] : reading.list(value, of, LIMITS.fields)
  if (names.length === 0) throw reading.refuse(`"${of}" must name a field.`)
  const weights = new Map<string, number>()
  for (const name of names) {
    const [, text, weight] = /^([^^]*)(?:\^(\d{1,4}(?:\.\d{1,6})?))?$/u.exec(typeof name === 'string' ? name : '') ?? []
    const { path } = withoutKeyword(reading.path(text, of))
    if (path !== '*' && path.includes('*')) throw unsupported(reading.part, 'wildcard in the name of a field')
    const own = weight === undefined ? 1 : reading.weight(Number(weight), of)
    weights.set(path, Math.max(own, weights.get(path) ?? 0))
  }
  return [...weights].map(([path, weight]) => ({ path, weight }))
}

export function queryString(value: unknown, reading: Reading): Clause {
  const body = reading.object(value, 'query_string')
  const known = ['query', 'fields', 'default_field', 'default_operator', 'minimum_should_match', 'boost', ...IDLE]
  reading.only(body, 'query_string', known)
  const fields = fieldsOf(body.fields ?? body.default_field, 'query_string.fields', reading)
  const clause = parseQueryString(reading.text(body.query, 'query_string.query'), {
    fields,
    operator: operatorOf(body.default_operator, 'query_string', reading),
    least: body.minimum_should_match,
    reading,
  })
  return boosted(clause, boostOf(body, 'query_string', reading))
}
