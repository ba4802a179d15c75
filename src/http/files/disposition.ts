import { extension } from 'mime-types'
import { BOUNDS } from '../../bounds.js'

const MAX_NAME = BOUNDS.files.name

/** TOKEN: a name that needs no quotes. PLAIN: one that is safe as well, with no leading dot. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const PLAIN = /^[!#$%&'*+^_`|~0-9A-Za-z-][!#$%&'*+.^_`|~0-9A-Za-z-]*$/

/**
 * Returns the Content-Disposition of a download (RFC 6266). There is no space after the semicolon because existing
 * clients search for that spelling; the RFC 8187 form is added only if plain ASCII cannot express the name.
 */
export function contentDisposition(suggested: string | undefined, fallback: string): string {
  if (suggested !== undefined && suggested.length <= MAX_NAME && PLAIN.test(suggested))
    return `attachment;filename=${suggested}`
  const name = safeName(suggested ?? '') || fallback
  if (TOKEN.test(name)) return `attachment;filename=${name}`
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\]/g, '_')
  return `attachment;filename="${ascii}";filename*=UTF-8''${encodeExtended(name)}`
}

/** Returns a name for a file without one: its index, and the extension of its media type. */
export function fallbackName(index: number, mediaType: string | undefined): string {
  const ending = mediaType === undefined || /^application\/octet-stream/i.test(mediaType) ? false : extension(mediaType)
  return ending ? `file-${index}.${ending}` : `file-${index}`
}

/** Strips a file name of its path, control and bidirectional characters, leading dots and surrounding space. */
export function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const clean = last
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
    .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/[\ud800-\udfff]/gu, '')
    .replace(/^[.\s]+/, '')
  // truncate before trimming: truncation may expose trailing space, and trimming a very long name is slow
  return [...clean].slice(0, MAX_NAME).join('').trimEnd()
}

function encodeExtended(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
