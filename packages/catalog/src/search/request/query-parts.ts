import { type Body, type QueryReader, withoutKeyword } from './query-reader.js'

/** Returns the boost of a clause. Default: 1. */
export function boostOf(body: Body, of: string, reader: QueryReader): number {
  return body.boost === undefined ? 1 : reader.weight(body.boost, `${of}.boost`)
}

/** Returns the field of a clause and its parameters. A bare value becomes an object with the value under `key`. */
export function fieldOf(value: unknown, of: string, key: string, reader: QueryReader) {
  const [name, inside] = reader.entry(value, of)
  const isObject = typeof inside === 'object' && inside !== null && !Array.isArray(inside)
  const body: Body = isObject ? (inside as Body) : { [key]: inside }
  return { ...withoutKeyword(reader.path(name, of)), body }
}
