import { CATALOG_LIMITS } from '../../limits.js'
import { numberOf } from '../documents/document.js'
import type { Clause, Limit } from '../syntax.js'
import { ofVersions, versionOfIndex } from './document-versions.js'
import { boostOf, fieldOf } from './query-parts.js'
import { type QueryReader, withoutKeyword } from './query-reader.js'

const LIMITS = CATALOG_LIMITS.search

export function term(value: unknown, reader: QueryReader): Clause {
  const { path, exact, body } = fieldOf(value, 'term', 'value', reader)
  reader.only(body, 'term', ['value', 'boost', 'case_insensitive'])
  return valuesIn(path, exact, [reader.text(body.value, 'term.value')], boostOf(body, 'term', reader))
}

export function terms(value: unknown, reader: QueryReader): Clause {
  const { boost: own, ...rest } = reader.object(value, 'terms')
  const [name, list] = reader.entry(rest, 'terms')
  const { path, exact } = withoutKeyword(reader.path(name, 'terms'))
  const values = reader.list(list, 'terms', LIMITS.terms).map((one) => reader.text(one, 'terms'))
  return valuesIn(path, exact, values, boostOf({ boost: own }, 'terms', reader))
}

function valuesIn(path: string, exact: boolean, values: string[], boost: number): Clause {
  if (path === '_index') return { ...ofVersions(values.map(versionOfIndex)), boost }
  return { kind: 'values', path, exact, boost, values: [...new Set(values)] }
}

export function exists(value: unknown, reader: QueryReader): Clause {
  const body = reader.object(value, 'exists')
  reader.only(body, 'exists', ['field', 'boost'])
  const { path } = withoutKeyword(reader.path(body.field, 'exists.field'))
  return { kind: 'exists', path, boost: boostOf(body, 'exists', reader) }
}

export function range(value: unknown, reader: QueryReader): Clause {
  const { path, body } = fieldOf(value, 'range', 'value', reader)
  reader.only(body, 'range', ['gt', 'gte', 'lt', 'lte', 'boost'])
  const end = (open: 'gt' | 'lt'): Limit | undefined => {
    const [name, inclusive] = body[`${open}e`] == null ? [open, false] : [`${open}e`, true]
    if (body[name] == null) return undefined
    if (body[open] != null && inclusive) throw reader.refuse(`"range" has both ${open} and ${open}e.`)
    return { value: endOf(body[name], name, reader), inclusive }
  }
  const [above, below] = [end('gt'), end('lt')]
  if (!above && !below) throw reader.refuse('"range" must have one of gt, gte, lt and lte.')
  return { kind: 'range', path, above, below, boost: boostOf(body, 'range', reader) }
}

function endOf(value: unknown, of: string, reader: QueryReader): number {
  const text = reader.text(value, `range.${of}`)
  const number =
    typeof value === 'string' ? (numberOf(value) ?? (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN)) : value
  if (!Number.isFinite(number))
    throw reader.refuse(`"range.${of}" must be a number or a time such as 2026-01-31T12:00:00Z.`)
  return number as number
}

export function ids(value: unknown, reader: QueryReader): Clause {
  const body = reader.object(value, 'ids')
  reader.only(body, 'ids', ['values', 'boost'])
  const values = typeof body.values === 'string' ? [body.values] : reader.list(body.values, 'ids.values', LIMITS.terms)
  const dids = [...new Set(values.map((one) => reader.text(one, 'ids.values')))]
  return { kind: 'ids', dids, boost: boostOf(body, 'ids', reader) }
}
