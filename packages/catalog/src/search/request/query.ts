import type { Clause } from '../syntax.js'
import { bool, EVERYTHING, NOTHING } from './clauses.js'
import { boostOf } from './query-parts.js'
import { leastOf, type QueryReader, unsupported } from './query-reader.js'
import { match, matchPhrase, multiMatch, queryString } from './text-clauses.js'
import { exists, ids, range, term, terms } from './value-clauses.js'

type Construct = (value: unknown, reader: QueryReader) => Clause

/** The supported kinds of clauses by name. */
const CONSTRUCTS = new Map<string, Construct>([
  [
    'match_all',
    (value, reader) => {
      const body = reader.object(value, 'match_all')
      reader.only(body, 'match_all', ['boost'])
      return { ...EVERYTHING, boost: boostOf(body, 'match_all', reader) }
    },
  ],
  ['match_none', () => NOTHING],
  ['match', match],
  ['match_phrase', matchPhrase],
  ['multi_match', multiMatch],
  ['query_string', queryString],
  ['term', term],
  ['terms', terms],
  ['exists', exists],
  ['range', range],
  ['ids', ids],
  ['bool', boolean],
])

/** Whether a name is a kind of clause. */
export function isConstruct(name: string): boolean {
  return CONSTRUCTS.has(name)
}

/** Parses a clause: an object whose only key is its kind. Throws ValidationError. */
export function readClause(value: unknown, reader: QueryReader): Clause {
  return reader.inside(() => {
    const [name, body] = reader.entry(value, 'A clause')
    const construct = CONSTRUCTS.get(name)
    if (!construct) throw unsupported(reader.part, name)
    reader.clause()
    return construct(body, reader)
  })
}

/** Whether this stands for a clause that a front end does not need. */
const isLeftOut = (clause: unknown) =>
  clause === null || clause === false || (Array.isArray(clause) && clause.length === 0)

function boolean(value: unknown, reader: QueryReader): Clause {
  const body = reader.object(value, 'bool')
  reader.only(body, 'bool', ['must', 'filter', 'should', 'must_not', 'minimum_should_match', 'boost'])
  const clauses = (key: string): Clause[] => {
    const inside = body[key]
    if (inside === undefined) return []
    return (Array.isArray(inside) ? inside : [inside])
      .filter((one) => !isLeftOut(one))
      .map((one) => readClause(one, reader))
  }
  const [must, filter, should, not] = [clauses('must'), clauses('filter'), clauses('should'), clauses('must_not')]
  const rule = body.minimum_should_match
  return bool({
    must,
    filter,
    should,
    not,
    boost: boostOf(body, 'bool', reader),
    ...(rule === undefined ? {} : { least: leastOf(rule, should.length, reader) }),
  })
}
