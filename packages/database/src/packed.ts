import { brotliCompressSync, brotliDecompressSync, constants, inflateRawSync } from 'node:zlib'

/** First character of a packed text. JSON never begins with it. */
const MARK = '^'
/** That of rows of earlier versions, in deflate. */
const DEFLATED = '~'

const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_LGWIN: window } = constants

/** The window is as long as a document: publishers compress by LZMA, and pay nothing for what is repeated at any distance. */
function compressed(text: string): Buffer {
  return brotliCompressSync(text, { params: { [quality]: 5, [window]: 22 } })
}

/**
 * Compresses a text longer than `over` characters for a text column; returns shorter ones unchanged. Publishers pay only
 * for the compressed form of a document, so the database does not store the plain one.
 */
export function packed(text: string, over: number): string {
  if (text.length <= over) return text
  const packed = `${MARK}${text.length}:${compressed(text).toString('base64')}`
  return packed.length < text.length ? packed : text
}

/** Returns the original of a packed text; other text unchanged. */
export function unpacked(text: string): string {
  if (!isPacked(text)) return text
  const bytes = Buffer.from(text.slice(text.indexOf(':') + 1), 'base64')
  return (text.startsWith(MARK) ? brotliDecompressSync(bytes) : inflateRawSync(bytes)).toString()
}

/** Returns the length of `unpacked(text)` in characters. */
export function unpackedLength(text: string): number {
  return isPacked(text) ? Number(text.slice(MARK.length, text.indexOf(':'))) : text.length
}

const isPacked = (text: string) => text.startsWith(MARK) || text.startsWith(DEFLATED)
