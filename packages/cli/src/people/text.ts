/** What moves the cursor, changes colours, turns the direction of writing or is not seen; lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Marks above and below one character: more than any script needs would cover the lines around it. */
const STACKED = /(\p{M}{4})\p{M}+/gu

/** Characters of a name, a file name or a sentence of somebody else that are shown. */
const SHOWN = 200

/**
 * Text of somebody else in one line for a terminal: without control characters, escape sequences and marks of direction, and
 * no longer than `max` characters.
 */
export function shown(text: string, max = SHOWN): string {
  // cut before the expensive part, with room for what is taken out
  const line = text
    .slice(0, 4 * max)
    .replace(/\s+/gu, ' ')
    .replace(UNSEEN, '\u{fffd}')
    .replace(STACKED, '$1')
    .trim()
  const characters = Array.from(line)
  const isCut = characters.length > max || text.length > 4 * max
  return isCut ? `${characters.slice(0, max - 1).join('')}…` : line
}

/** Lines for a terminal: nothing but line feeds and what can be seen. The last guard, for text whose fields were not `shown`. */
export function safeLines(text: string): string {
  return text.replace(UNSEEN, (character) => (character === '\n' ? '\n' : '\u{fffd}'))
}

/** JSON in one line of characters that can be seen: others are escaped. Amounts are decimal strings, times ISO 8601. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, (_, entry) => (typeof entry === 'bigint' ? `${entry}` : entry))
  return text.replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join(''),
  )
}

const unit = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`
