import { safeName } from '@tidegate/storage'
import { extension } from 'mime-types'

/** A name that needs no quotes. Browsers decode what looks percent-encoded. */
const TOKEN = /^(?:[!#$&'*+.^_`|~0-9A-Za-z-]|%(?![0-9A-Fa-f]{2}))+$/

/**
 * Returns the Content-Disposition of a download (RFC 6266). There is no space after the semicolon because existing
 * clients search for that spelling; the RFC 8187 form is added only if plain ASCII cannot express the name.
 */
export function contentDisposition(suggested: string | undefined, fallback: string): string {
  const name = safeName(suggested ?? '') || fallback
  if (TOKEN.test(name)) return `attachment;filename=${name}`
  // without the flag i, which takes ſ for an s
  const ascii = name.replace(/[^\x20-\x7e]|["\\]|%(?=[0-9A-Fa-f]{2})/gu, '_')
  return `attachment;filename="${ascii}";filename*=UTF-8''${encodeExtended(name)}`
}

/** Returns a name for a file without one: its index, and the extension of its media type. */
export function fallbackName(index: number, mediaType: string | undefined): string {
  const ending = mediaType === undefined || /^application\/octet-stream/i.test(mediaType) ? false : extension(mediaType)
  return ending ? `file-${index}.${ending}` : `file-${index}`
}

function encodeExtended(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
