/** Characters that control a terminal, change the text direction or are invisible; lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Choose between drawings of the character before them, such as the colour of an emoji. */
const SELECTORS = /\p{Variation_Selector}/gu

/** Any other character than visible ASCII and a line feed: the cheap test of a text. */
const UNUSUAL = /[^\n -~]/

/** Returns a text with U+FFFD for each control character and each invisible one. */
export function visible(text: string): string {
  return UNUSUAL.test(text) || text.includes('\n') ? text.replace(SELECTORS, '').replace(UNSEEN, '\u{fffd}') : text
}

/** Returns lines for a terminal: only line feeds and visible characters. */
export function visibleLines(text: string): string {
  return UNUSUAL.test(text) ? text.split('\n').map(visible).join('\n') : text
}

/** Returns JSON in which the characters that a terminal obeys or hides are escaped. The value is the same. */
export function visibleJson(json: string): string {
  // JSON escapes control characters, so DEL alone is ASCII that cannot be seen. Half the time of a pattern, in each line of the log
  if (Buffer.byteLength(json) === json.length && !json.includes('\x7f')) return json
  return json.replace(UNSEEN, (character) =>
    character === '\n' ? '\n' : Array.from({ length: character.length }, (_, at) => escaped(character, at)).join(''),
  )
}

const escaped = (text: string, at: number) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`

/** Returns JSON whose texts, once parsed, are lines of visible characters. */
export function jsonOfVisible(json: string): string {
  const plain = json.includes('\\') ? json.replace(/\\(?:u[0-9a-fA-F]{4}|.)/gs, plainEscape) : json
  return visibleLines(plain)
}

function plainEscape(found: string): string {
  if (found === '\\"' || found === '\\\\') return found
  return /\\[nrt]/.test(found) ? ' ' : '\u{fffd}'
}
