import { extension } from 'mime-types'

/** Longest file name that is handed out, in characters. */
const MAX_NAME = 200

/** A name that needs no quotes, and one that is safe as well: no dot in front, not too long. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const PLAIN = /^[!#$%&'*+^_`|~0-9A-Za-z-][!#$%&'*+.^_`|~0-9A-Za-z-]{0,199}$/

/**
 * The Content-Disposition of a download (RFC 6266). The spelling without a space after the semicolon is what existing
 * clients look for; the RFC 8187 form follows only where the plain one cannot say the name.
 */
export function contentDisposition(suggested: string | undefined, fallback: string): string {
  if (suggested !== undefined && PLAIN.test(suggested)) return `attachment;filename=${suggested}`
  const name = safeName(suggested ?? '') || fallback
  if (TOKEN.test(name)) return `attachment;filename=${name}`
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\]/g, '_')
  return `attachment;filename="${ascii}";filename*=UTF-8''${encodeExtended(name)}`
}

/** The name of a file that has none: its place in the list, and the ending that goes with its media type. */
export function fallbackName(index: number, mediaType: string | undefined): string {
  const ending = mediaType === undefined || /^application\/octet-stream/i.test(mediaType) ? false : extension(mediaType)
  return ending ? `file-${index}.${ending}` : `file-${index}`
}

/** A bare file name: no path, no control or direction-changing characters, no leading dots, no space at either end. */
export function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const clean = last
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/[\ud800-\udfff]/gu, '')
    .replace(/^[.\s]+/, '')
  // cut before the end is trimmed: what is left behind a cut may be space again, and looking for it takes long in a long name
  return [...clean].slice(0, MAX_NAME).join('').trimEnd()
}

function encodeExtended(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
