import { type Body, type Reading, withoutKeyword } from './reading.js'

/** The boost of a clause; 1 by default. */
export function boostOf(body: Body, of: string, reading: Reading): number {
  return body.boost === undefined ? 1 : reading.weight(body.boost, `${of}.boost`)
}

/** The field of a clause, and its parameters: a bare value, or an object with the value under a key. */
export function fieldOf(value: unknown, of: string, key: string, reading: Reading) {
  const [name, inside] = reading.entry(value, of)
  const isObject = typeof inside === 'object' && inside !== null && !Array.isArray(inside)
  const body: Body = isObject ? (inside as Body) : { [key]: inside }
  return { ...withoutKeyword(reading.path(name, of)), body }
}
