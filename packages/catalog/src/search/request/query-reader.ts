import { ValidationError } from '@tidegate/protocol'
import { CATALOG_LIMITS } from '../../limits.js'
import { searchedPath } from '../documents/document.js'

const LIMITS = CATALOG_LIMITS.search

/** An object of a request. */
export type Body = Record<string, unknown>

/** Returns the error for an unsupported construct. */
export function unsupported(part: string, construct: string): ValidationError {
  return ValidationError.of(part, `The ${part} construct "${construct.slice(0, 80)}" is not supported.`)
}

/** Parses values of a part of a request (`query`, `sort` …) and limits its cost. Methods throw ValidationError for the part. */
export class QueryReader {
  private clauses = 0
  private lookups = 0
  /** Distinct prefixes of distinct fields: front ends send the same text several times. */
  private readonly prefixes = new Set<string>()
  private level = 0

  constructor(readonly part: string) {}

  refuse(reason: string): ValidationError {
    return ValidationError.of(this.part, reason)
  }

  /** Parses nested content, one level deeper. */
  inside<T>(read: () => T): T {
    this.level += 1
    if (this.level > LIMITS.depth) throw this.refuse(`It is nested deeper than ${LIMITS.depth} levels.`)
    const result = read()
    this.level -= 1
    return result
  }

  clause(): void {
    this.clauses += 1
    if (this.clauses > LIMITS.clauses) throw this.refuse(`It has more than ${LIMITS.clauses} clauses.`)
  }

  lookup(count: number): void {
    this.lookups += count
    if (this.lookups > LIMITS.lookups)
      throw this.refuse(`It looks for more than ${LIMITS.lookups} words, each counted for each of its fields.`)
  }

  /** Counts a prefix that is searched among all words of some fields. The same one costs once. */
  prefix(words: readonly string[], fields: readonly { path: string }[]): void {
    for (const { path } of fields) this.prefixes.add(`${path} ${words.join(' ')}`)
    if (this.prefixes.size > LIMITS.prefixes)
      throw this.refuse(
        `It looks for more than ${LIMITS.prefixes} beginnings of words, each counted for each of its fields.`,
      )
  }

  object(value: unknown, of: string): Body {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw this.refuse(`"${of}" must be an object.`)
    return value as Body
  }

  /** Returns the only entry of an object. */
  entry(value: unknown, of: string): [key: string, value: unknown] {
    const entries = Object.entries(this.object(value, of))
    if (entries.length !== 1) throw this.refuse(`"${of}" must have exactly one entry.`)
    return entries[0] as [string, unknown]
  }

  only(body: Body, of: string, known: readonly string[]): void {
    for (const key of Object.keys(body)) if (!known.includes(key)) throw unsupported(this.part, `${of}.${key}`)
  }

  text(value: unknown, of: string): string {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      throw this.refuse(`"${of}" must be a text, a number, true or false.`)
    const text = String(value)
    if (text.length > LIMITS.text) throw this.refuse(`"${of}" is longer than ${LIMITS.text} characters.`)
    return text
  }

  path(value: unknown, of: string): string {
    if (typeof value !== 'string' || value === '' || value.length > LIMITS.path)
      throw this.refuse(`"${of}" must be the name of a field, of ${LIMITS.path} characters at most.`)
    return searchedPath(value)
  }

  whole(value: unknown, of: string, most: number): number {
    if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > most)
      throw this.refuse(`"${of}" must be a whole number from 0 to ${most}.`)
    return value as number
  }

  weight(value: unknown, of: string): number {
    const { most, parts } = LIMITS.weight
    if (typeof value !== 'number' || !(value >= 0 && value <= most))
      throw this.refuse(`"${of}" must be a number from 0 to ${most}.`)
    return Math.round(value * parts) / parts
  }

  list(value: unknown, of: string, most: number): unknown[] {
    if (!Array.isArray(value)) throw this.refuse(`"${of}" must be a list.`)
    if (value.length > most) throw this.refuse(`"${of}" has more than ${most} entries.`)
    return value
  }

  /** Parses one of some keywords, ignoring case. */
  choice<T extends string>(value: unknown, of: string, choices: readonly T[]): T {
    const found = choices.find((one) => typeof value === 'string' && one === value.toLowerCase())
    if (found === undefined) throw this.refuse(`"${of}" must be ${choices.join(' or ')}.`)
    return found
  }
}

/** Removes `.keyword` from a field. `exact`: whether it was there, for case-sensitive matches of whole values. */
export function withoutKeyword(path: string): { path: string; exact: boolean } {
  const exact = path.endsWith('.keyword')
  return { path: exact ? path.slice(0, -'.keyword'.length) : path, exact }
}

/**
 * Returns how many of `count` optional clauses must match. `rule`: a number or percentage, negative for clauses that may be missing, or
 * `3<75%` for a rule above a number of clauses. Throws ValidationError.
 */
export function leastOf(rule: unknown, count: number, reader: QueryReader): number {
  const text = typeof rule === 'number' ? String(rule) : rule
  if (typeof text !== 'string' || !/^(?:\d{1,4}<)?-?\d{1,4}%?(?: \d{1,4}<-?\d{1,4}%?){0,8}$/.test(text))
    throw reader.refuse('"minimum_should_match" must be a number, a percentage, or a rule such as "2<75%".')
  let least: string | undefined = text
  if (text.includes('<')) {
    least = undefined
    for (const part of text.split(' ')) {
      const [above, then] = part.split('<')
      if (then === undefined) throw reader.refuse('"minimum_should_match" must be one rule, or several with "<".')
      if (count > Number(above)) least = then
    }
    if (least === undefined) return count
  }
  const amount = Number.parseInt(least, 10)
  const absolute = least.endsWith('%') ? Math.trunc((count * amount) / 100) : amount
  return Math.max(0, least.startsWith('-') ? count + absolute : absolute)
}
