import { STORAGE_LIMITS } from './limits.js'

/** A usual safe name: short, ASCII, without spaces, and without a dot at either end. */
const PLAIN = /^[!#$%&'*+^_`|~0-9A-Za-z-](?:[!#$%&'*+.^_`|~0-9A-Za-z-]{0,98}[!#$%&'*+^_`|~0-9A-Za-z-])?$/

/** Device names on Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])\s*(?:\.|$)/i

/** Control, invisible and bidirectional characters, and line separators. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]|[\ud800-\udfff]/gu

/**
 * Returns a file name without path, unsafe characters, and leading or trailing dots and spaces. Shortens a long name but keeps its
 * extension. A device name gets a prefix. Empty if nothing is left.
 */
export function safeName(name: string): string {
  if (PLAIN.test(name) && !DEVICE.test(name)) return name
  const last = name.split(/[/\\]/).at(-1) ?? ''
  // trimming a very long name is slow
  const clean = trimmed(last.slice(0, STORAGE_LIMITS.files.rawName).replace(UNSAFE, ''))
  return shortened(DEVICE.test(clean) ? `_${clean}` : clean)
}

function trimmed(name: string): string {
  return name.replace(/^[.\s]+|[.\s]+$/g, '')
}

/** Shortens the stem of a too long name, between characters. */
function shortened(name: string): string {
  const limit = STORAGE_LIMITS.files.name
  if (Buffer.byteLength(name) <= limit) return name
  const [ending = ''] = /(?:\.tar)?\.[A-Za-z0-9]{1,10}$/.exec(name) ?? []
  let stem = ''
  let bytes = ending.length
  for (const character of name.slice(0, name.length - ending.length)) {
    bytes += Buffer.byteLength(character)
    if (bytes > limit) break
    stem += character
  }
  return trimmed(stem) + ending
}
