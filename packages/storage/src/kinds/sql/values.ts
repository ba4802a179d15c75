import { assertShape } from '@tidegate/protocol'
import pg from 'pg'
import { ARRAY_TYPES } from '../../constants.js'
import { STORAGE_LIMITS } from '../../limits.js'

/** A value in JSON. */
export class JsonText {
  constructor(readonly text: string) {}
}

export type Cell = string | number | boolean | Date | JsonText | null

/** Parses the text of a column. Calls `spend` with the number of parsed characters. */
type Reader = (text: string, spend: (characters: number) => void) => unknown

const {
  BYTEA,
  BOOL,
  INT2,
  INT4,
  OID,
  FLOAT4,
  FLOAT8,
  DATE,
  TIMESTAMP,
  TIMESTAMPTZ,
  INTERVAL,
  JSON: JSON_TYPE,
  JSONB,
} = pg.types.builtins
/** Geometric types, which have no names in the library. */
const [POINT, CIRCLE] = [600, 718]

/** Cost factor of arrays, which the library parses character by character. */
const ARRAY_COST = 4

/** The library's declared type is wrong. */
const ARRAY = pg.types.arrayParser as unknown as {
  create(text: string, entry: (value: string | null) => unknown): { parse(): unknown[] }
}

/** Element types of the array types whose elements need the readers below. */
const ARRAYS: Readonly<Record<number, number>> = {
  [ARRAY_TYPES.json]: JSON_TYPE,
  [ARRAY_TYPES.jsonb]: JSONB,
  [ARRAY_TYPES.bytea]: BYTEA,
  [ARRAY_TYPES.point]: POINT,
  [ARRAY_TYPES.timestamp]: TIMESTAMP,
  [ARRAY_TYPES.date]: DATE,
  [ARRAY_TYPES.timestamptz]: TIMESTAMPTZ,
  [ARRAY_TYPES.interval]: INTERVAL,
}

const READERS = new Map<number, Reader>([
  ...[BOOL, INT2, INT4, OID, FLOAT4, FLOAT8, DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL, POINT, CIRCLE].map(
    (type) => [type, short(type)] as const,
  ),
  [JSON_TYPE, json],
  [JSONB, json],
  [BYTEA, parsed(bytes)],
  ...Object.entries(ARRAYS).map(([array, element]) => [Number(array), elements(element)] as const),
])

/**
 * Parses the values of a row like the driver, but within limits: the server chooses types, and the driver's parsers take quadratic
 * time for a long date and never return for some bytea. Objects become JSON at once, so that no trees are buffered.
 * @throws Error if a value is too long or does not fit its type
 */
export function readRow(types: readonly number[], texts: readonly (string | null)[]): Cell[] {
  let left: number = STORAGE_LIMITS.sql.parsed
  const spend = (characters: number) => {
    left -= characters
    if (left < 0) throw new RangeError('a row with too much to parse')
  }
  if (texts.length !== types.length) throw new RangeError('a row with an unexpected number of columns')
  return texts.map((text, column) => (text === null ? null : read(types[column] as number, text, spend)))
}

function read(type: number, text: string, spend: (characters: number) => void): Cell {
  const reader = READERS.get(type) ?? library(type)
  const value = reader ? reader(text, spend) : text
  if (typeof value !== 'object' || value === null || value instanceof Date) return value as Cell
  return new JsonText(JSON.stringify(value))
}

/** Returns the library's reader of another array type; undefined if the text stays unchanged. */
function library(type: number): Reader | undefined {
  const parse = pg.types.getTypeParser(type, 'text') as (text: string) => unknown
  return parse === PLAIN || type === pg.types.builtins.INT8 ? undefined : parsed(parse, ARRAY_COST)
}

const PLAIN = pg.types.getTypeParser(pg.types.builtins.TEXT, 'text') as (text: string) => unknown

function parsed(parse: (text: string) => unknown, cost = 1): Reader {
  return (text, spend) => {
    spend(text.length * cost)
    return parse(text)
  }
}

function short(type: number): Reader {
  const parse = pg.types.getTypeParser(type as never, 'text') as (text: string) => unknown
  return (text, spend) => {
    spend(text.length)
    if (text.length > STORAGE_LIMITS.sql.short) throw new RangeError('a value that is too long for its type')
    return parse(text)
  }
}

function elements(type: number): Reader {
  return (text, spend) => {
    // elements are charged again, one by one
    spend(text.length * (ARRAY_COST - 1))
    const entry = (value: string | null) => (value === null ? null : READERS.get(type)?.(value, spend))
    return ARRAY.create(text, entry).parse()
  }
}

/** Parses JSON. Charges keys more than characters, since objects with many keys are slow to build. */
function json(text: string, spend: (characters: number) => void): unknown {
  const { keyCost, json: bounds } = STORAGE_LIMITS.sql
  spend(text.length)
  spend(assertShape(text, bounds) * keyCost)
  return JSON.parse(text)
}

/** Parses bytea in hex, the default output of PostgreSQL since 9.0. */
function bytes(text: string): Buffer {
  const value = Buffer.from(text.slice(2), 'hex')
  if (!text.startsWith('\\x') || value.length * 2 !== text.length - 2)
    throw new RangeError('bytea in another format than hex')
  return value
}
