/** Decodes percent-encoded bytes. Both texts are Latin-1: a character is a byte. */
export function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** The signs of windows-1252 from 0x80 on, of which some versions of Node know nothing. */
const WINDOWS_SIGNS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/** Decodes bytes, as a Latin-1 text, in a charset; undefined if that is unknown, or the bytes are not valid in it. */
export function decoded(latin1: string, charset: string): string | undefined {
  try {
    const decoder = new TextDecoder(charset, { fatal: true })
    // by the Encoding Standard, Latin-1 is read as this, too
    if (decoder.encoding === 'windows-1252') return windowsText(latin1)
    return decoder.decode(Buffer.from(latin1, 'latin1'))
  } catch {
    return undefined
  }
}

/** Decodes bytes, as a Latin-1 text, as UTF-8 if they are, and otherwise as Latin-1 with the signs of Windows. */
export function latin1Text(latin1: string): string {
  if (/^[\x20-\x7e]*$/.test(latin1)) return latin1
  return decoded(latin1, 'utf-8') ?? windowsText(latin1)
}

function windowsText(latin1: string): string {
  return latin1.replace(/[\u0080-\u009f]/g, (sign) => WINDOWS_SIGNS[sign.charCodeAt(0) - 0x80] ?? '')
}
