import { LIMITS } from './limits.js'

/** Control characters, marks of text direction, and lone surrogates. */
const UNPRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\ud800-\udfff]/gu

/** Returns a stranger's text for a terminal or a page: one line of bounded length. */
export function printable(text: string, length: number = LIMITS.message): string {
  const clean = text
    .slice(0, 4 * length)
    .replace(UNPRINTABLE, ' ')
    .trim()
  const characters = [...clean]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : clean
}
