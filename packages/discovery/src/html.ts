/** HTML text. A stranger's text is never one: `html` escapes it. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = string | number | Html | undefined | false | readonly Value[]

/** Marks that change the direction of text around them. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

/** Escapes text for elements and quoted attributes, without marks of direction. */
export function escapeHtml(text: string): string {
  return text.replace(DIRECTIONS, '').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Returns HTML from a template. Values are escaped, unless they are HTML; undefined and false are left out. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(strings.reduce((text, part, at) => text + written(values[at - 1]) + part))
}

/** Characters that XML 1.0 does not have, not even escaped. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** Returns XML as text. */
export function xmlText({ text }: Html): string {
  return text.replace(NOT_XML, '')
}

function written(value: Value): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(written).join('')
  return escapeHtml(String(value))
}

/** Returns a data block for JSON-LD. No text in it can end the block, or begin a comment or another element. */
export function jsonLdBlock(json: object): Html {
  const text = JSON.stringify(json).replace(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return new Html(`<script type="application/ld+json">${text}</script>`)
}
