/** Decodes percent-encoded bytes, from Latin-1 to Latin-1. */
export function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** The characters of windows-1252 from 0x80 on. Some versions of Node do not know them. */
const WINDOWS_SIGNS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/** Decodes bytes (as a Latin-1 text) in a charset; undefined if the charset is unknown or the bytes are invalid. */
export function decoded(latin1: string, charset: string): string | undefined {
  try {
    const decoder = new TextDecoder(charset, { fatal: true })
    // the Encoding Standard decodes Latin-1 as windows-1252
    if (decoder.encoding === 'windows-1252') return windowsText(latin1)
    return decoder.decode(Buffer.from(latin1, 'latin1'))
  } catch {
    return undefined
  }
}

/** Decodes bytes (as a Latin-1 text) as UTF-8 if they are valid, else as windows-1252. */
export function latin1Text(latin1: string): string {
  if (/^[\x20-\x7e]*$/.test(latin1)) return latin1
  return decoded(latin1, 'utf-8') ?? windowsText(latin1)
}

function windowsText(latin1: string): string {
  return latin1.replace(/[\u0080-\u009f]/g, (sign) => WINDOWS_SIGNS[sign.charCodeAt(0) - 0x80] ?? '')
}
