import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Begins a packed text. JSON never begins with it. */
const MARK = '~'

/**
 * Compresses a text that is longer than `over` characters, for a column of text. A publisher pays for the compressed form
 * of a document, so the database must not hold the plain one. Returns the text as it is if that is shorter.
 */
export function packed(text: string, over: number): string {
  if (text.length <= over) return text
  const packed = `${MARK}${text.length}:${deflateRawSync(text).toString('base64')}`
  return packed.length < text.length ? packed : text
}

/** Returns the text that was packed, or a text that never was. */
export function unpacked(text: string): string {
  if (!text.startsWith(MARK)) return text
  return inflateRawSync(Buffer.from(text.slice(text.indexOf(':') + 1), 'base64')).toString()
}

/** Returns the characters of the text that `unpacked` would return. */
export function unpackedLength(text: string): number {
  return text.startsWith(MARK) ? Number(text.slice(MARK.length, text.indexOf(':'))) : text.length
}
