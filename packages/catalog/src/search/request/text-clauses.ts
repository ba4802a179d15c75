import { CATALOG_LIMITS } from '../../limits.js'
import { phraseOf } from '../documents/words.js'
import type { Clause, Field } from '../syntax.js'
import { bool, boosted, eachWord, NOTHING, phrase } from './clauses.js'
import { boostOf, fieldOf } from './query-parts.js'
import { type Body, leastOf, type QueryReader, unsupported, withoutKeyword } from './query-reader.js'
import { parseQueryString } from './query-string.js'

const LIMITS = CATALOG_LIMITS.search

/** Accepted options without effect. */
const IDLE = ['lenient', 'analyze_wildcard', 'allow_leading_wildcard', 'zero_terms_query', 'phrase_slop']

export function match(value: unknown, reader: QueryReader): Clause {
  const { path, exact, body } = fieldOf(value, 'match', 'query', reader)
  reader.only(body, 'match', ['query', 'operator', 'minimum_should_match', 'boost', ...IDLE])
  const text = reader.text(body.query, 'match.query')
  const boost = boostOf(body, 'match', reader)
  if (exact) return { kind: 'values', path, values: [text], exact, boost }
  return boosted(wordsIn([{ path, weight: 1 }], text, body, 'match', reader), boost)
}

function wordsIn(fields: Field[], text: string, body: Body, of: string, reader: QueryReader): Clause {
  const operator = operatorOf(body.operator, of, reader)
  const each = eachWord(fields, text, reader)
  if (each.length === 0) return NOTHING
  if (each.length === 1) return each[0] as Clause
  if (operator === 'and') return bool({ must: each })
  const rule = body.minimum_should_match
  return bool({ should: each, ...(rule === undefined ? {} : { least: leastOf(rule, each.length, reader) }) })
}

function operatorOf(value: unknown, of: string, reader: QueryReader): 'and' | 'or' {
  return value === undefined ? 'or' : reader.choice(value, `${of}.operator`, ['and', 'or'])
}

export function matchPhrase(value: unknown, reader: QueryReader): Clause {
  const { path, exact, body } = fieldOf(value, 'match_phrase', 'query', reader)
  reader.only(body, 'match_phrase', ['query', 'boost'])
  const text = reader.text(body.query, 'match_phrase.query')
  const boost = boostOf(body, 'match_phrase', reader)
  if (exact) return { kind: 'values', path, values: [text], exact, boost }
  return boosted(phraseIn([{ path, weight: 1 }], text, reader), boost)
}

function phraseIn(fields: Field[], text: string, reader: QueryReader): Clause {
  const found = phraseOf(text)
  return found ? phrase(fields, found, reader) : NOTHING
}

const TYPES = ['best_fields', 'most_fields', 'cross_fields', 'phrase'] as const

export function multiMatch(value: unknown, reader: QueryReader): Clause {
  const body = reader.object(value, 'multi_match')
  reader.only(body, 'multi_match', ['query', 'fields', 'type', 'operator', 'minimum_should_match', 'boost', ...IDLE])
  const text = reader.text(body.query, 'multi_match.query')
  const fields = fieldsOf(body.fields, 'multi_match.fields', reader)
  const type = body.type === undefined ? 'best_fields' : reader.choice(body.type, 'multi_match.type', TYPES)
  const clause = type === 'phrase' ? phraseIn(fields, text, reader) : wordsIn(fields, text, body, 'multi_match', reader)
  return boosted(clause, boostOf(body, 'multi_match', reader))
}

/** Parses fields with weights, such as `metadata.name^10`. Default: all fields. */
function fieldsOf(value: unknown, of: string, reader: QueryReader): Field[] {
  const names =
    value === undefined ? ['*'] : typeof value === 'string' ? [value] : reader.list(value, of, LIMITS.fields)
  if (names.length === 0) throw reader.refuse(`"${of}" must name a field.`)
  const weights = new Map<string, number>()
  for (const name of names) {
    const [, text, weight] = /^([^^]*)(?:\^(\d{1,4}(?:\.\d{1,6})?))?$/u.exec(typeof name === 'string' ? name : '') ?? []
    const { path } = withoutKeyword(reader.path(text, of))
    if (path !== '*' && path.includes('*')) throw unsupported(reader.part, 'wildcard in the name of a field')
    const own = weight === undefined ? 1 : reader.weight(Number(weight), of)
    weights.set(path, Math.max(own, weights.get(path) ?? 0))
  }
  return [...weights].map(([path, weight]) => ({ path, weight }))
}

export function queryString(value: unknown, reader: QueryReader): Clause {
  const body = reader.object(value, 'query_string')
  const known = ['query', 'fields', 'default_field', 'default_operator', 'minimum_should_match', 'boost', ...IDLE]
  reader.only(body, 'query_string', known)
  const fields = fieldsOf(body.fields ?? body.default_field, 'query_string.fields', reader)
  const clause = parseQueryString(reader.text(body.query, 'query_string.query'), {
    fields,
    operator: operatorOf(body.default_operator, 'query_string', reader),
    least: body.minimum_should_match,
    reader,
  })
  return boosted(clause, boostOf(body, 'query_string', reader))
}
