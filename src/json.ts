/** How large a JSON text may be in another sense than its length. */
export interface JsonBounds {
  /** Commas and opening brackets outside of strings: there are no more values than that, and one. */
  values: number
  /** Colons outside of strings, which are the keys of all objects: building an object costs by its keys. */
  keys: number
  /** Brackets that may be open at once. */
  depth: number
}

/**
 * Parses JSON text after a look at its shape, so that nothing is built of a text that would fill the memory: a
 * megabyte may hold half a million objects, and no limit of a thread's heap ends JSON.parse in time. Throws
 * JsonBoundsError, or SyntaxError where it is no JSON.
 */
export function parseJson(text: string, bounds: JsonBounds): unknown {
  assertShape(text, bounds)
  return JSON.parse(text)
}

/** A JSON text that is too large to be parsed; its message goes on from the name of what it is. */
export class JsonBoundsError extends Error {}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
/** The bit in which curly brackets differ from square ones. */
const CURLY = 0x20
const OPEN = 0x7b
const CLOSE = 0x7d

/**
 * Throws JsonBoundsError for a text with more values, keys or levels than allowed; otherwise answers how many keys it
 * has. One pass, which ends at the first excess.
 */
export function assertShape(text: string, { values, keys, depth }: JsonBounds): number {
  const strings = new StringEnds(text)
  let [count, named, level] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = strings.after(at + 1)
    else if (char === COMMA) count += 1
    else if (char === COLON) named += 1
    else if ((char | CURLY) === OPEN) {
      count += 1
      level += 1
      if (level > depth) throw new JsonBoundsError(`is nested deeper than ${depth} levels`)
    } else if ((char | CURLY) === CLOSE) level -= 1
    if (named > keys) throw new JsonBoundsError(`holds more than ${keys} keys`)
    if (count > values) throw new JsonBoundsError(`holds more than ${values} values`)
  }
  return named
}

/** Finds where strings end: by the machine's own search where nothing is escaped, as in megabytes of hex. */
class StringEnds {
  /** The next backslash, as far as was looked. */
  private escape = -1

  constructor(private readonly text: string) {}

  /** The position of the quote that ends the string which begins at `from`, or the end of a text without one. */
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
