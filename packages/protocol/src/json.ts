import { withoutMark } from './values/byte-order-mark.js'

/** Bounds on the shape of a JSON text. */
export interface JsonBounds {
  /** Commas and opening brackets outside of strings. The text has at most one value more. */
  values: number
  /** Colons outside of strings, one per key: objects cost time by their keys. */
  keys: number
  /** Nesting of brackets. */
  depth: number
}

/**
 * Parses JSON after a check of its shape, so that a hostile text cannot exhaust the memory: a megabyte can contain half
 * a million objects, and JSON.parse ignores the heap limit of a thread too long. Throws JsonBoundsError, or SyntaxError
 * if the text is no JSON.
 */
export function parseJson(text: string, bounds: JsonBounds): unknown {
  assertShape(text, bounds)
  return JSON.parse(withoutMark(text))
}

/** A JSON text outside of its bounds. The message continues a sentence that begins with the name of the document. */
export class JsonBoundsError extends Error {}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
/** The bit that distinguishes curly brackets from square ones. */
const CURLY = 0x20
const OPEN = 0x7b
const CLOSE = 0x7d

/**
 * Throws JsonBoundsError for a text with too many values, keys or levels. Returns the number of keys. One pass, until
 * the first excess.
 */
export function assertShape(text: string, { values, keys, depth }: JsonBounds): number {
  const strings = new StringEnds(text)
  let [valueCount, keyCount, level] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = strings.after(at + 1)
    else if (char === COMMA) valueCount += 1
    else if (char === COLON) keyCount += 1
    else if ((char | CURLY) === OPEN) {
      valueCount += 1
      level += 1
      if (level > depth) throw new JsonBoundsError(`is nested deeper than ${depth} levels`)
    } else if ((char | CURLY) === CLOSE) level -= 1
    if (keyCount > keys) throw new JsonBoundsError(`holds more than ${keys} keys`)
    if (valueCount > values) throw new JsonBoundsError(`holds more than ${values} values`)
  }
  return keyCount
}

/** Finds the ends of strings. Native `indexOf` is fast without escapes, for example in megabytes of hex. */
class StringEnds {
  /** Cached position of the next backslash. */
  private escape = -1

  constructor(private readonly text: string) {}

  /** Returns the position of the closing quote of a string that starts at `from`; the end of the text if there is none. */
  after(from: number): number {
    const text = this.text
    const quote = text.indexOf('"', from)
    if (quote < 0) return text.length
    if (this.escape < from) this.escape = position(text.indexOf('\\', from))
    if (quote < this.escape) return quote
    for (let at = this.escape; at < text.length; at++) {
      const char = text.charCodeAt(at)
      if (char === QUOTE) return at
      if (char === BACKSLASH) at += 1
    }
    return text.length
  }
}

function position(found: number): number {
  return found < 0 ? Number.POSITIVE_INFINITY : found
}
