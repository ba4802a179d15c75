import { visible } from '@tidegate/common/visible-text'

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
  const line = visible(text.slice(0, 4 * max).replace(/\s+/gu, ' '))
    .replace(STACKED, '$1')
    .trim()
  const characters = Array.from(line)
  const isCut = characters.length > max || text.length > 4 * max
  return isCut ? `${characters.slice(0, max - 1).join('')}…` : line
}
