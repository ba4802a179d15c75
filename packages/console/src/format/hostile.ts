/** A part of a stranger's text: visible text, or one character that is invisible or moves its neighbours. */
export type Stretch = { text: string } | { control: string; code: string }

/**
 * Control characters, marks of direction, invisible separators, fillers and tags, byte order marks, lone surrogates. Joiners
 * stay: emoji and several scripts need them.
 */
const INVISIBLE =
  /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0/u

/** Most invisible characters of a text that are shown by their codes. Each is an element; further ones become U+FFFD. */
const MOST_CODES = 1_000

/** Combining marks over one character, beyond the needs of any script. */
const STACKED = /(\p{M}{4})\p{M}+/gu

/** Splits a text at its invisible characters, so that their codes can be shown. Keeps newlines. */
export function stretchesOf(text: string): Stretch[] {
  const stretches: Stretch[] = []
  let plain = ''
  let codes = 0
  for (const character of text.replace(/\r\n?/g, '\n').replace(STACKED, '$1')) {
    if (!INVISIBLE.test(character)) {
      plain += character
      continue
    }
    if (codes++ >= MOST_CODES) {
      plain += '\ufffd'
      continue
    }
    if (plain) stretches.push({ text: plain })
    plain = ''
    stretches.push({ control: character, code: codeOf(character) })
  }
  if (plain) stretches.push({ text: plain })
  return stretches
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Returns the beginning of a text, cut between characters; `rest` is the number of hidden ones. */
export function clamped(text: string, most: number): { text: string; rest: number } {
  if (text.length <= most) return { text, rest: 0 }
  const characters = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text.slice(0, most + 64))]
  let shown = ''
  for (const { segment } of characters) {
    if (shown.length + segment.length > most) break
    shown += segment
  }
  // a single character that exceeds the limit
  if (shown === '') shown = [...text.slice(0, most)].slice(0, -1).join('')
  return { text: shown, rest: text.length - shown.length }
}

/** Returns one line of plain text for titles and labels, without invisible characters. */
export function plainLine(text: string, most = 120): string {
  const visible = stretchesOf(text)
    .map((stretch) => ('text' in stretch ? stretch.text : ' '))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()
  const { text: shown, rest } = clamped(visible, most)
  return rest > 0 ? `${shown}…` : shown
}
