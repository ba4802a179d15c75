/** Characters that control a terminal, change the text direction or are invisible; lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Combining marks on one character: more than any script needs would cover the lines around it. */
const STACKED = /(\p{M}{4})\p{M}+/gu

/** Most shown characters of a stranger's name, file name or sentence. */
const SHOWN = 200

/**
 * Returns a stranger's text as one line for a terminal: without control characters, escape sequences and marks of direction,
 * and of at most `max` characters.
 */
export function shown(text: string, max = SHOWN): string {
  // cut before the expensive part, with room for removed characters
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

/**
 * Returns lines for a terminal with only line feeds and visible characters. The last guard for fields that were not `shown`.
 */
export function safeLines(text: string): string {
  return text.replace(UNSEEN, (character) => (character === '\n' ? '\n' : '\u{fffd}'))
}

/** Returns JSON in one line of visible characters, others escaped. Amounts are decimal strings, times ISO 8601. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, (_, entry) => (typeof entry === 'bigint' ? `${entry}` : entry))
  return text.replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join(''),
  )
}

const unit = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`
