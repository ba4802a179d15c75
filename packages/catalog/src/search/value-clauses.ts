import { CATALOG_LIMITS } from '../limits.js'
import { numberOf } from './document.js'
import { ofVersions, versionOfIndex } from './document-versions.js'
import { boostOf, fieldOf } from './query-parts.js'
import { type Reading, withoutKeyword } from './reading.js'
import type { Clause, Limit } from './syntax.js'

const LIMITS = CATALOG_LIMITS.search

export function term(value: unknown, reading: Reading): Clause {
  const { path, exact, body } = fieldOf(value, 'term', 'value', reading)
  reading.only(body, 'term', ['value', 'boost', 'case_insensitive'])
  return valuesIn(path, exact, [reading.text(body.value, 'term.value')], boostOf(body, 'term', reading))
}

export function terms(value: unknown, reading: Reading): Clause {
  const { boost: own, ...rest } = reading.object(value, 'terms')
  const [name, list] = reading.entry(rest, 'terms')
  const { path, exact } = withoutKeyword(reading.path(name, 'terms'))
  const values = reading.list(list, 'terms', LIMITS.terms).map((one) => reading.text(one, 'terms'))
  return valuesIn(path, exact, values, boostOf({ boost: own }, 'terms', reading))
}

function valuesIn(path: string, exact: boolean, values: string[], boost: number): Clause {
  if (path === '_index') return { ...ofVersions(values.map(versionOfIndex)), boost }
  return { kind: 'values', path, exact, boost, values: [...new Set(values)] }
}

export function exists(value: unknown, reading: Reading): Clause {
  const body = reading.object(value, 'exists')
  reading.only(body, 'exists', ['field', 'boost'])
  const { path } = withoutKeyword(reading.path(body.field, 'exists.field'))
  return { kind: 'exists', path, boost: boostOf(body, 'exists', reading) }
}

export function range(value: unknown, reading: Reading): Clause {
  const { path, body } = fieldOf(value, 'range', 'value', reading)
  reading.only(body, 'range', ['gt', 'gte', 'lt', 'lte', 'boost'])
  const end = (open: 'gt' | 'lt'): Limit | undefined => {
    const [name, inclusive] = body[`${open}e`] == null ? [open, false] : [`${open}e`, true]
    if (body[name] == null) return undefined
    if (body[open] != null && inclusive) throw reading.refuse(`"range" has both ${open} and ${open}e.`)
    return { value: endOf(body[name], name, reading), inclusive }
  }
  const [above, below] = [end('gt'), end('lt')]
  if (!above && !below) throw reading.refuse('"range" must have one of gt, gte, lt and lte.')
  return { kind: 'range', path, above, below, boost: boostOf(body, 'range', reading) }
}

function endOf(value: unknown, of: string, reading: Reading): number {
  const text = reading.text(value, `range.${of}`)
  const number =
    typeof value === 'string' ? (numberOf(value) ?? (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN)) : value
  if (!Number.isFinite(number))
    throw reading.refuse(`"range.${of}" must be a number or a time such as 2026-01-31T12:00:00Z.`)
  return number as number
}

export function ids(value: unknown, reading: Reading): Clause {
  const body = reading.object(value, 'ids')
  reading.only(body, 'ids', ['values', 'boost'])
  const values = typeof body.values === 'string' ? [body.values] : reading.list(body.values, 'ids.values', LIMITS.terms)
  const dids = [...new Set(values.map((one) => reading.text(one, 'ids.values')))]
  return { kind: 'ids', dids, boost: boostOf(body, 'ids', reading) }
}
