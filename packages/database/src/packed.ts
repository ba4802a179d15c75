import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** First character of a packed text. JSON never begins with it. */
const MARK = '~'

/**
 * Compresses a text longer than `over` characters for a text column; returns shorter ones unchanged. Publishers pay only
 * for the compressed form of a document, so the database does not store the plain one.
 */
export function packed(text: string, over: number): string {
  if (text.length <= over) return text
  const packed = `${MARK}${text.length}:${deflateRawSync(text).toString('base64')}`
  return packed.length < text.length ? packed : text
}

/** Returns the original of a packed text; other text unchanged. */
export function unpacked(text: string): string {
  if (!text.startsWith(MARK)) return text
  return inflateRawSync(Buffer.from(text.slice(text.indexOf(':') + 1), 'base64')).toString()
}

/** Returns the length of `unpacked(text)` in characters. */
export function unpackedLength(text: string): number {
  return text.startsWith(MARK) ? Number(text.slice(MARK.length, text.indexOf(':'))) : text.length
}
